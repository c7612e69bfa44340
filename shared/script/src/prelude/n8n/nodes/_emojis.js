// The common emojis by their names on GitHub, as in ":rocket:".
(function (n8n) {
  'use strict';

  const EMOJIS =
    'smile 😄 smiley 😃 grinning 😀 blush 😊 relaxed ☺️ wink 😉 heart_eyes 😍 kissing_heart 😘 stuck_out_tongue 😛 ' +
    'stuck_out_tongue_winking_eye 😜 sunglasses 😎 smirk 😏 neutral_face 😐 expressionless 😑 unamused 😒 roll_eyes 🙄 thinking 🤔 ' +
    'flushed 😳 disappointed 😞 worried 😟 angry 😠 rage 😡 pensive 😔 confused 😕 confounded 😖 persevere 😣 tired_face 😫 weary 😩 ' +
    'triumph 😤 open_mouth 😮 scream 😱 fearful 😨 cold_sweat 😰 cry 😢 sob 😭 joy 😂 laughing 😆 sweat_smile 😅 sweat 😓 sleepy 😪 ' +
    'sleeping 😴 zzz 💤 mask 😷 innocent 😇 yum 😋 nerd_face 🤓 hugs 🤗 rofl 🤣 slightly_smiling_face 🙂 upside_down_face 🙃 hankey 💩 ' +
    'ghost 👻 alien 👽 robot 🤖 skull 💀 heart ❤️ broken_heart 💔 two_hearts 💕 sparkling_heart 💖 blue_heart 💙 green_heart 💚 ' +
    'yellow_heart 💛 purple_heart 💜 sparkles ✨ star ⭐️ star2 🌟 dizzy 💫 boom 💥 fire 🔥 100 💯 +1 👍 -1 👎 ok_hand 👌 wave 👋 clap 👏 ' +
    'raised_hands 🙌 pray 🙏 muscle 💪 point_up ☝️ point_down 👇 point_left 👈 point_right 👉 v ✌️ eyes 👀 tada 🎉 confetti_ball 🎊 ' +
    'balloon 🎈 gift 🎁 trophy 🏆 medal_sports 🏅 1st_place_medal 🥇 rocket 🚀 airplane ✈️ car 🚗 bike 🚲 house 🏠 office 🏢 ' +
    'computer 💻 phone ☎️ iphone 📱 email ✉️ inbox_tray 📥 outbox_tray 📤 package 📦 mailbox 📫 memo 📝 pencil2 ✏️ clipboard 📋 ' +
    'calendar 📆 date 📅 chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 bar_chart 📊 file_folder 📁 open_file_folder 📂 ' +
    'page_facing_up 📄 bookmark 🔖 link 🔗 paperclip 📎 pushpin 📌 round_pushpin 📍 scissors ✂️ lock 🔒 unlock 🔓 key 🔑 hammer 🔨 ' +
    'wrench 🔧 gear ⚙️ mag 🔍 mag_right 🔎 bulb 💡 bell 🔔 no_bell 🔕 speaker 🔈 loudspeaker 📢 mega 📣 hourglass ⌛️ alarm_clock ⏰ ' +
    'stopwatch ⏱ watch ⌚️ moneybag 💰 dollar 💵 euro 💶 credit_card 💳 gem 💎 warning ⚠️ no_entry ⛔️ no_entry_sign 🚫 x ❌ ' +
    'white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ question ❓ exclamation ❗️ information_source ℹ️ ' +
    'bangbang ‼️ recycle ♻️ arrow_up ⬆️ arrow_down ⬇️ arrow_left ⬅️ arrow_right ➡️ heavy_plus_sign ➕ heavy_minus_sign ➖ ' +
    'red_circle 🔴 large_blue_circle 🔵 black_circle ⚫️ white_circle ⚪️ coffee ☕️ beer 🍺 pizza 🍕 cake 🍰 apple 🍎 sunny ☀️ ' +
    'cloud ☁️ umbrella ☔️ snowflake ❄️ rainbow 🌈 earth_americas 🌎 earth_africa 🌍 cat 🐱 dog 🐶 bug 🐛 snake 🐍 whale 🐳 ' +
    'seedling 🌱 rose 🌹 sunflower 🌻 construction 🚧 checkered_flag 🏁 art 🎨 musical_note 🎵 camera 📷 video_camera 📹 tv 📺 ' +
    'movie_camera 🎥 game_die 🎲 dart 🎯 soccer ⚽️ basketball 🏀 speech_balloon 💬 thought_balloon 💭 man 👨 woman 👩 boy 👦 girl 👧 ' +
    'baby 👶 globe_with_meridians 🌐 newspaper 📰 books 📚 book 📖 mortar_board 🎓 id 🆔 copyright ©️ registered ®️ tm ™️';

  let byName;
  /** The emoji of a name, or undefined. */
  n8n.emoji = (name) => {
    if (byName === undefined) {
      byName = new Map();
      const words = EMOJIS.split(' ');
      for (let i = 0; i < words.length; i += 2) byName.set(words[i], words[i + 1]);
    }
    return byName.get(name);
  };
})
