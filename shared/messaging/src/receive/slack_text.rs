//! The text of Slack's messages (mrkdwn) as readable text.

/// Replaces `<@U1>`, `<#C1|general>`, `<https://a.example|label>` and `<!here>` by what Slack shows, and decodes the
/// escapes. Slack escapes `<`, `>` and `&` of the author, so each `<…>` is markup.
pub fn to_readable(text: &str) -> String {
    let (mut readable, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>').map(|end| start + end) else { break };
        readable.push_str(&decode(&rest[..start]));
        readable.push_str(&decode(&replace_markup(&rest[start + 1..end])));
        rest = &rest[end + 1..];
    }
    readable.push_str(&decode(rest));
    readable
}

/// The text that stands for the content of `<…>`.
fn replace_markup(markup: &str) -> String {
    let (target, label) = match markup.split_once('|') {
        Some((target, label)) => (target, Some(label).filter(|label| !label.is_empty())),
        None => (markup, None),
    };
    let with_sign = |sign: char, name: &str| format!("{sign}{}", name.trim_start_matches(sign));
    if let Some(user) = target.strip_prefix('@') {
        return with_sign('@', label.unwrap_or(user));
    }
    if let Some(channel) = target.strip_prefix('#') {
        return with_sign('#', label.unwrap_or(channel));
    }
    if let Some(special) = target.strip_prefix('!') {
        // A date has a fallback as its label, and a group its name.
        return label.map_or_else(|| with_sign('@', special), str::to_owned);
    }
    let shown = target.strip_prefix("mailto:").unwrap_or(target);
    match label {
        Some(label) if label != shown && label != target => format!("{label} ({shown})"),
        _ => shown.to_owned(),
    }
}

fn decode(text: &str) -> String {
    // `&amp;` last: `&amp;lt;` is the text `&lt;`.
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_readable_text() {
        for (given, expected) in [
            ("<@U1> 1 &lt; 2 &amp;&amp; 3 &gt; 2", "@U1 1 < 2 && 3 > 2"),
            ("<@U1|ada> in <#C1|general> or <#C2>", "@ada in #general or #C2"),
            ("<https://a.example/?x=1&amp;y=2|the page>", "the page (https://a.example/?x=1&y=2)"),
            ("<https://a.example> <mailto:a@b.example|a@b.example>", "https://a.example a@b.example"),
            ("<!here> <!subteam^S1|@crew> <!date^1392734382^{date}|Feb 18>", "@here @crew Feb 18"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("a < b <", "a < b <"),
            ("<> <|> <@>", "  @"),
        ] {
            assert_eq!(to_readable(given), expected, "{given}");
        }
    }
}
