import { useEffect, useId, useState } from "react";
import { useTexts } from "../../i18n";
import { Button } from "../../ui/Button";
import { type History, timeAt } from "./history";

/** Playing takes about this long, in steps that the eye can follow. */
const PLAY_MS = 8_000;
const FASTEST_MS = 60;
const SLOWEST_MS = 600;

interface TimeSliderProps {
  history: History;
  /** The number of changes that have taken place. Null shows all of them, and those that follow. */
  position: number | null;
  /** The time, while the run goes on. */
  now: number | null;
  onMove: (position: number | null) => void;
}

/** Goes back through the changes of a run. Each step is one change, so a long wait takes no more room than a short one. */
export function TimeSlider({ history, position, now, onMove }: TimeSliderProps) {
  const { t, format } = useTexts();
  const id = useId();
  const { length } = history;
  const [isPlaying, setIsPlaying] = useState(false);
  const shown = position ?? length;
  const move = (next: number) => onMove(next >= length ? null : Math.max(0, next));

  const pace = Math.min(SLOWEST_MS, Math.max(FASTEST_MS, PLAY_MS / length));
  const step = Math.max(1, Math.round((length * pace) / PLAY_MS));
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (shown + step >= length) setIsPlaying(false);
      move(shown + step);
    }, pace);
    return () => clearTimeout(timer);
  });

  const at = position === null && now !== null ? now : timeAt(history, shown);
  const elapsed = format.duration(Math.max(0, at - history.start));
  const end = now === null ? t.run.end : t.run.live;
  const place = t.run.place(format.number(shown), format.number(length));
  return (
    <div className="time-slider" role="group" aria-label={t.run.time}>
      <div className="slider-buttons">
        <Button aria-label={t.run.back} title={t.run.back} busy={shown === 0} onClick={() => move(shown - 1)}>
          <Icon path="M11 3.5 5 8l6 4.5zM4 3.5v9" />
        </Button>
        <Button
          aria-label={isPlaying ? t.run.pause : t.run.play}
          title={isPlaying ? t.run.pause : t.run.play}
          onClick={() => {
            if (!isPlaying && position === null) onMove(0);
            setIsPlaying(!isPlaying);
          }}
        >
          <Icon path={isPlaying ? "M5.5 3.5v9M10.5 3.5v9" : "M5 3.5 12 8l-7 4.5z"} />
        </Button>
        <Button aria-label={t.run.forward} title={t.run.forward} busy={shown === length} onClick={() => move(shown + 1)}>
          <Icon path="m5 3.5 6 4.5-6 4.5zM12 3.5v9" />
        </Button>
      </div>
      <label htmlFor={id} className="sr-only">{t.run.time}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={length}
        value={shown}
        aria-valuetext={position === null ? `${end}, ${place}` : t.run.after(elapsed, place)}
        onChange={(event) => {
          setIsPlaying(false);
          move(Number(event.target.value));
        }}
      />
      <Button className="end-button" aria-pressed={position === null} onClick={() => onMove(null)}>{end}</Button>
      <p className="slider-facts numbers">
        {t.run.after(elapsed, place)}
      </p>
    </div>
  );
}

function Icon({ path }: { path: string }) {
  return <svg viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg>;
}
