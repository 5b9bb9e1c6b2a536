/** The answers of a request and its replays side by side; without room, one at a time. */
import { createSignal, For, type JSX, Show } from 'solid-js'
import { Segments } from '#client/ui/console/filters.tsx'
import { SwitchField } from '#client/ui/console/form.tsx'
import { Icon } from '#client/ui/icon.tsx'
import type { DifferencePiece, ReplayAnswer, ReplayComparison, ReplayDifference, ReplayFigures } from '#shared/console/replay'
import { t } from './messages.ts'

/** `original`: the label of the original. */
export function Answers(props: { original: string; replays: readonly { name: string; both: ReplayComparison }[] }) {
  const [shows, setShows] = createSignal(true)
  const [chosen, setChosen] = createSignal('1')
  const pieces = (both: ReplayComparison) => (shows() ? both.pieces : undefined)
  const callPieces = (both: ReplayComparison) =>
    shows() && both.callPieces?.some((piece) => piece.in !== 'both') ? both.callPieces : undefined
  const options = () => [props.original, ...props.replays.map(({ name }) => name)].map((label, n) => ({ value: String(n), label }))
  return (
    <>
      <div class="flex flex-wrap items-center gap-x-6 gap-y-2 text-[13px]">
        <SwitchField label={t('changes')} on={shows()} onChange={setShows} />
        <Show when={shows()}>
          <p class="text-ink-2">
            <ins class="replay-new">{t('onlyHere')}</ins> <del class="replay-gone">{t('onlyThere')}</del>
          </p>
        </Show>
      </div>
      <div class="replay-choice">
        <Segments label={t('answers')} value={chosen()} options={options()} onChange={setChosen} />
      </div>
      <div class="replay-answers">
        <Answer
          title={props.original}
          answer={props.replays[0]?.both.originalAnswer ?? null}
          figures={props.replays[0]?.both.original ?? null}
          isChosen={chosen() === '0'}
        />
        <For each={props.replays}>
          {({ name, both }, n) => (
            <Answer
              title={name}
              answer={both.replayAnswer}
              figures={both.result}
              difference={both.difference}
              note={both.uncompared && t(both.uncompared)}
              pieces={pieces(both)}
              callPieces={callPieces(both)}
              isChosen={chosen() === String(n() + 1)}
            />
          )}
        </For>
      </div>
    </>
  )
}

function Answer(props: {
  title: string
  answer: ReplayAnswer | null
  figures: ReplayFigures | null
  isChosen: boolean
  difference?: ReplayDifference | null
  note?: string | undefined
  pieces?: readonly DifferencePiece[] | undefined
  callPieces?: readonly DifferencePiece[] | undefined
}) {
  return (
    <section classList={{ chosen: props.isChosen }} aria-label={props.title}>
      <header>
        <h3>{props.title}</h3>
        <Show when={props.figures}>
          {(figures) => (
            <>
              <span class="bdg" classList={endLook(figures().end)}>
                {endText(figures().end)}
              </span>
              <p>{whoAnswered(figures())}</p>
            </>
          )}
        </Show>
      </header>
      <Show when={props.note}>{(note) => <p class="notice">{note()}</p>}</Show>
      <Show when={props.answer} fallback={<p class="text-[13px] text-ink-2">{t('noAnswer')}</p>}>
        {(answer) => (
          <>
            <Show when={answer().error}>{(error) => <p class="notice bad">{error().message}</p>}</Show>
            {/* An error before any text is not an answer to compare. */}
            <Show when={answer().text || !answer().error}>
              <p class="replay-text">
                <Show when={props.pieces} fallback={answer().text || t('noText')}>
                  {(pieces) => <Pieces pieces={pieces()} />}
                </Show>
              </p>
            </Show>
            <Show when={answer().calls.length > 0}>
              <h4 class="mt-3 text-[13px] font-medium">{t('callsTitle')}</h4>
              <pre class="replay-text mono" tabindex="0">
                <Show
                  when={props.callPieces}
                  fallback={answer()
                    .calls.map(({ name, args }) => `${name} ${args}`)
                    .join('\n')}
                >
                  {(pieces) => <Pieces pieces={pieces()} />}
                </Show>
              </pre>
            </Show>
            <Show when={sameText(answer(), props.difference)}>
              {(text) => (
                <p class="replay-same">
                  <Icon name="check" /> {text()}
                </p>
              )}
            </Show>
          </>
        )}
      </Show>
    </section>
  )
}

const ends = ['complete', 'length', 'cut', 'aborted', 'error'] as const
const endText = (end: string): string => {
  const known = ends.find((one) => one === end)
  return known ? t(`end_${known}`) : end
}

/** Only a complete answer is ok; a shortened one is a warning, since it may be intended. */
const endLook = (end: string) => ({
  ok: end === 'complete',
  warn: end === 'length' || end === 'cut' || end === 'aborted',
  bad: end === 'error',
})

/** The model, and the channel if the user may see it. */
const whoAnswered = ({ model, channel }: ReplayFigures): string => (channel ? `${model} ${t('onChannel', { channel })}` : model)

/** Which parts of a replay equal the original; undefined if none does. */
function sameText({ text, calls }: ReplayAnswer, difference: ReplayDifference | null | undefined): string | undefined {
  const isTextSame = text !== '' && difference?.text === 'same'
  const areCallsSame = calls.length > 0 && difference?.calls === 'same'
  if (isTextSame && areCallsSame) return t('sameAll')
  if (areCallsSame) return t('sameCalls')
  return isTextSame ? t('sameText') : undefined
}

function Pieces(props: { pieces: readonly DifferencePiece[] }): JSX.Element {
  return (
    <For each={props.pieces}>
      {(piece) =>
        piece.in === 'both' ? (
          piece.text
        ) : piece.in === 'replay' ? (
          <ins class="replay-new">{piece.text}</ins>
        ) : (
          <del class="replay-gone">{piece.text}</del>
        )
      }
    </For>
  )
}
