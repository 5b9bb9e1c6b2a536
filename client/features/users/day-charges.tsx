import { For, Show } from 'solid-js'
import { explain } from '#client/console/explain.ts'
import { dayOf } from '#client/console/lists/span-filter.tsx'
import { createPages, queryOf } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Skeleton } from '#client/ui/console/states.tsx'
import { formatDay, formatWhen } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import type { EntryRow } from '#shared/console/user'
import { Amount, RequestLink } from './ledger-columns.tsx'
import { t } from './messages.ts'

/** The charges of requests on one day, below its line. `path`: the entries endpoint of the wallet; `words`: the search text of the list. */
export function DayCharges(props: { path: string; day: string; words: string }) {
  const entries = createPages<EntryRow>(
    () => `${props.path}?${queryOf({ limit: '50', kind: 'usage', q: props.words, ...dayOf(props.day) })}`,
  )
  return (
    <div class="calm grid justify-items-start gap-2 py-1 text-[13px]">
      <Show
        when={entries.value()}
        fallback={
          <Show when={entries.error()} fallback={<Skeleton lines={3} />}>
            {(error) => <p class="wrong">{explain(error())}</p>}
          </Show>
        }
      >
        {(rows) => (
          <ul class="grid w-full gap-1" aria-label={t('chargesOf', { day: formatDay(props.day) })}>
            <For each={rows()}>
              {(row) => (
                <li class="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-4">
                  <span class="text-ink-2">
                    <Instant at={row.at} text={formatWhen(row.at, true)} />
                  </span>
                  <RequestLink of={row.ref} />
                  <span class="num">
                    <Amount of={row.amount} />
                  </span>
                </li>
              )}
            </For>
          </ul>
        )}
      </Show>
      <Show when={entries.more()}>
        {(more) => (
          <Button size="sm" busy={more().busy} onClick={() => more().read()}>
            {tc('loadMore')}
          </Button>
        )}
      </Show>
      <Show when={entries.more()?.problem}>{(problem) => <span class="wrong">{problem()}</span>}</Show>
    </div>
  )
}
