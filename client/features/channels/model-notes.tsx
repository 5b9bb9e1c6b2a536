import { Show } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { Button } from '#client/ui/button.tsx'
import { t } from './messages.ts'
import type { ModelLine } from './model-rows.ts'

/** Notes above the table: models without a price, and differences from the upstream's list. */
export function ModelNotes(props: {
  listed: readonly string[] | undefined
  /** Models that the upstream lists and that are not chosen yet. */
  fresh: readonly ModelLine[]
  gone: number
  unpriced: number
  error: ApiError | undefined
  readonly: boolean
  onOffer(lines: readonly ModelLine[]): void
}) {
  return (
    <div class="mb-4 grid gap-3 empty:hidden">
      <Show when={props.unpriced > 0}>
        <div class="notice warn flex flex-wrap items-center gap-3">
          <span class="min-w-0 flex-1">{t('unpriced', { count: props.unpriced })}</span>
          <a class="btn" href="/admin/prices">
            {t('setPrices')}
          </a>
        </div>
      </Show>
      <Show when={props.error}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
      <Show when={props.listed}>
        {(listed) => (
          <div class="notice flex flex-wrap items-center gap-3 border-soft-line! bg-soft!" role="status">
            <span class="min-w-0 flex-1">
              <b class="font-medium">{t('listed', { count: listed().length })}</b>{' '}
              <span class="text-ink-2">
                {props.fresh.length + props.gone === 0 ? t('diffSame') : t('diff', { fresh: props.fresh.length, gone: props.gone })}
              </span>
            </span>
            <Show when={props.fresh.length > 0 && !props.readonly}>
              <Button onClick={() => props.onOffer(props.fresh)}>{t('offerNew', { count: props.fresh.length })}</Button>
            </Show>
          </div>
        )}
      </Show>
    </div>
  )
}
