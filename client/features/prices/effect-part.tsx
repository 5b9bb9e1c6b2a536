import { createMemo, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { createSettled } from '#client/console/settled.ts'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { formatMoney } from '#client/ui/format.ts'
import type { PriceEffect, PriceEffects, PriceFields } from '#shared/console/price'
import { t } from './messages.ts'
import { isPrice } from './typed-price.ts'

/** The effect that these prices would have had in the last seven days. */
export const readEffect = (prices: Record<string, PriceFields>, signal: AbortSignal): Promise<PriceEffects> =>
  callApi<PriceEffects>('POST', '/api/prices/effect', { prices }, signal)

/** Debounce of typing, in milliseconds. */
const pauseMs = 300

/**
 * The part of the drawer that shows the effect of the price being typed; `price` is undefined while a part of it is
 * invalid.
 */
export function EffectPart(props: { model: string; price: PriceFields | undefined; isUsed: boolean }) {
  // An invalid price has no effect: the form shows why when it is saved.
  const typed = createMemo(() => (props.isUsed && props.price && isPrice(props.price) ? JSON.stringify(props.price) : undefined))
  const asked = createSettled(typed, pauseMs)
  const effect = createLoad(asked, (text, signal) => readEffect({ [props.model]: JSON.parse(text) }, signal))
  const known = () => (effect.error() || typed() === undefined ? undefined : effect.value()?.data[0])
  const isOld = () => effect.loading() || typed() !== asked()
  return (
    <DrawerPart title={t('effect')}>
      <Show when={props.isUsed && known()?.requests !== 0} fallback={<p class="text-[13px] text-ink-2">{t('effectNone')}</p>}>
        <div class="text-[13px]" aria-live="polite" aria-busy={isOld()}>
          <Show when={known()} fallback={<p class="text-ink-2">{isOld() && typed() ? t('effectCounting') : t('effectUnknown')}</p>}>
            {(one) => (
              <div classList={{ 'opacity-50': isOld() }}>
                <p>{effectText(one())}</p>
                <p class="hint mt-1">{t(one().basis === 'requests' ? 'effectExact' : 'effectSums')}</p>
                <Show when={one().sessions > 0}>
                  <p class="hint mt-1">{t('effectSessions', { count: one().sessions })}</p>
                </Show>
              </div>
            )}
          </Show>
        </div>
      </Show>
    </DrawerPart>
  )
}

/** Without a current price, shows what the requests actually cost. */
function effectText({ requests: count, before, after, cost }: PriceEffect): string {
  const money = { count, after: formatMoney(after) }
  return before === null
    ? t('effectNew', { ...money, cost: formatMoney(cost) })
    : t('effectText', { ...money, before: formatMoney(before) })
}
