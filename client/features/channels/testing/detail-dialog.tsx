import { For, Show } from 'solid-js'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { formatCount } from '#client/ui/format.ts'
import type { ProbeAnswer } from '#shared/console/inspection/probe'
import { t } from './messages.ts'

/** The result of a test: figures, the answer, and the raw response or its events. */
export function TestDetailDialog(props: { name: string; answer: ProbeAnswer; onClose(): void }) {
  const detail = () => props.answer.detail
  const tokens = () => detail()?.tokens
  const raw = () => detail()?.raw ?? ''
  return (
    <Dialog wide title={t('title', { name: props.name })} onClose={props.onClose}>
      <div class="grid gap-4">
        <Facts
          facts={[
            [t('model'), <span class="mono">{props.answer.model}</span>],
            [t('status'), props.answer.status],
            [t('problem'), props.answer.error && `${props.answer.error.message} (${props.answer.error.code})`],
            [t('first'), detail()?.firstTokenMs == null ? undefined : formatDuration(detail()?.firstTokenMs ?? 0)],
            [t('time'), formatDuration(props.answer.ms)],
            [t('tokens'), tokens() && `${formatCount(tokens()?.in ?? 0)} / ${formatCount(tokens()?.out ?? 0)}`],
            [t('cost'), detail()?.cost && `$${detail()?.cost}`],
            [t('said'), detail()?.text],
          ]}
        />
        <Show when={props.answer.keys.length > 1}>
          <div>
            <h3 class="mb-1 text-[13px]/[18px] font-medium">{t('keys')}</h3>
            <ul class="grid gap-1 text-[13px]">
              <For each={props.answer.keys}>
                {(key) => (
                  <li class="flex gap-2">
                    <span class={`shape mt-1.5 ${key.ok ? 'ok' : 'bad'}`} aria-hidden="true" />
                    <span class="min-w-0">
                      {key.key ?? t('noKey')}{' '}
                      <span class="num text-ink-2">
                        {key.error ? [key.status, key.error.message].filter(Boolean).join(' ') : formatDuration(key.ms)}
                      </span>
                    </span>
                  </li>
                )}
              </For>
            </ul>
          </div>
        </Show>
        <div class="code-sample">
          <header>
            <span class="min-w-0 flex-1 text-[13px] font-medium">{t('raw')}</span>
            <CopyButton text={raw()} what={t('rawCopy')} />
          </header>
          {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
          <pre tabindex="0" role="region" aria-label={t('raw')} class="max-h-[320px]">
            {raw() || t('rawNone')}
          </pre>
        </div>
      </div>
    </Dialog>
  )
}
