import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { Instant } from '#client/ui/console/view/instant.tsx'
import type { Page } from '#shared/console/model'
import type { PriceChange } from '#shared/console/price'
import { en } from './en.ts'
import { t } from './messages.ts'

/** Who changed the price of a model, when, from what to what: newest first. */
export function PriceHistory(props: { model: string }) {
  const history = createLoad(
    () => `/api/prices/${encodeURIComponent(props.model)}/history?limit=20`,
    (path, signal) => callApi<Page<PriceChange>>('GET', path, undefined, signal),
  )
  const rows = () => history.value()?.data ?? []
  return (
    <DrawerPart title={t('history')}>
      <Show when={rows().length > 0} fallback={<p class="text-[13px] text-ink-2">{history.loading() ? '' : t('historyNone')}</p>}>
        <ol class="grid gap-2 text-[13px]">
          <For each={rows()}>
            {(row) => (
              <li>
                <span class="text-ink-2">
                  <Instant at={row.at} />
                </span>{' '}
                {row.actorName ?? row.actor}
                <span class="num block">
                  <Show when={row.after === null}>{t('historyRemoved')}</Show>
                  <For each={row.after === null ? [] : changesOf(row)}>
                    {(change) => (
                      <span class="inline-block pr-3">
                        {fieldText(change.name)}{' '}
                        <Show when={change.from !== undefined}>
                          <s class="text-ink-3">{change.from}</s> →{' '}
                        </Show>
                        <b class="font-medium">{change.to ?? '–'}</b>
                      </span>
                    )}
                  </For>
                </span>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </DrawerPart>
  )
}

function changesOf({ before, after }: PriceChange): { name: string; from: string | undefined; to: string | undefined }[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names.map((name) => ({ name, from: words(before?.[name]), to: words(after?.[name]) }))
}

const words = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value)

/** The field's label in the form. */
const fieldText = (name: string): string => (name in en ? t(name as 'input') : name)
