import { useTexts } from "../../i18n";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Loaded } from "../../ui/Loaded";
import { RelativeTime } from "../../ui/RelativeTime";
import { Section } from "../../ui/Section";
import { labState, type LabState, type useLabs } from "./queries";

const tones: Record<LabState, Tone> = { starting: "progress", running: "good", stopping: "progress", stopped: "neutral", failed: "bad" };

interface LabsProps {
  query: ReturnType<typeof useLabs>;
  /** Loads the labs, if they are not loaded with the screen. */
  onShow: (() => void) | undefined;
}

export function Labs({ query, onShow }: LabsProps) {
  const { t } = useTexts();
  if (onShow !== undefined) {
    return <Section title={t.home.labs}><p className="panel calm"><Button onClick={onShow}>{t.home.showLabs}</Button></p></Section>;
  }
  return (
    <Section title={t.home.labs}>
      <Loaded query={query} lines={2}>
        {(labs) =>
          labs.length === 0 ? (
            <p className="panel calm">{t.home.labsEmpty}</p>
          ) : (
            <ul className="panel rows">
              {labs.map((lab) => {
                const state = labState(lab);
                return (
                  <li key={lab.id}>
                    <div className="main">
                      <p className="name" translate="no">{lab.name}</p>
                      <p className="sub">
                        <Badge tone={tones[state]}>{t.home.labStates[state]}</Badge> <RelativeTime time={lab.updatedAt} />
                      </p>
                    </div>
                    {lab.dashboardUrl !== null && (
                      <a className="button" href={lab.dashboardUrl} target="_blank" rel="noreferrer" aria-label={t.home.openLabNamed(lab.name)}>
                        {t.home.openLab}
                      </a>
                    )}
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
