/** The difference between the client's request and the one sent to an upstream, with the losses where they happened. */
import { For, Show } from 'solid-js'
import type { LossRow } from '#shared/console/log'
import { changesOf } from './changes.ts'
import { t } from './messages.ts'

const signs = { same: ' ', gone: '−', new: '+' } as const

/** `asked` and `sent` are the bodies as text. */
export function RequestChanges(props: { asked: string; sent: string; losses: readonly LossRow[] }) {
  const found = () => changesOf(props.asked, props.sent, props.losses)
  const count = (is: 'gone' | 'new') => found()?.lines.filter((line) => line.is === is).length ?? 0
  return (
    <Show when={found()} fallback={<p class="notice">{t('changesTooMany')}</p>}>
      {(changes) => (
        <>
          <p class="num text-[13px] text-ink-2">{t('changesCount', { added: count('new'), gone: count('gone') })}</p>
          <pre class="kept-text kept-changes" tabindex="0">
            <For each={changes().lines}>
              {(line) => (
                <>
                  <span class={line.is}>{`${signs[line.is]} ${line.text}\n`}</span>
                  <For each={line.losses}>
                    {(loss) => <span class="loss">{`  ${loss.what === 'dropped' ? t('dropped') : t('adapted')}: ${loss.reason}\n`}</span>}
                  </For>
                </>
              )}
            </For>
          </pre>
          <Show when={changes().elsewhere.length > 0}>
            <ul class="grid gap-1 text-[13px]">
              <For each={changes().elsewhere}>
                {(loss) => (
                  <li>
                    <code>{loss.field}</code> {loss.reason}
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </>
      )}
    </Show>
  )
}
