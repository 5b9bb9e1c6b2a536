import { For } from 'solid-js'
import { causeText, restedText, retryText } from '#client/console/rest-text.ts'
import type { ChannelWithFigures } from '#client/features/channels/channel-columns.tsx'
import { t } from '#client/features/channels/messages.ts'
import { Button } from '#client/ui/button.tsx'

/** What rests in a channel, why and until when, with the possible actions. */
export function RestsLine(props: { row: ChannelWithFigures; onReset(): void }) {
  return (
    <div class="flex flex-wrap items-center gap-2 pl-10 max-[759px]:pl-0">
      <span class="min-w-0 flex-1">
        <For each={props.row.rests.slice(0, 3)}>
          {(rest) => (
            <span class="block">
              <b>{t('restLine', { what: restedText(rest), cause: causeText(rest.cause) })}</b> {retryText(rest.retryInMs)}
            </span>
          )}
        </For>
      </span>
      <a class="btn sm" href={`/admin/channels/${encodeURIComponent(props.row.id)}`}>
        {t('test')}
      </a>
      <Button look="ghost" size="sm" onClick={() => props.onReset()}>
        {t('reset')}
      </Button>
    </div>
  )
}
