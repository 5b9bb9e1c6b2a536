import { createEffect, createMemo, createSignal, on, onCleanup, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import type { PriceEffects, PriceFields } from '#shared/console/price'
import { t } from './messages.ts'
import { tokenFields } from './tiers.ts'

/** What these prices would have made of the last seven days. */
export const readEffect = (prices: Record<string, PriceFields>, signal: AbortSignal): Promise<PriceEffects> =>
  callApi<PriceEffects>('POST', '/api/prices/effect', { prices }, signal)

/** Milliseconds after typing. */
const pauseMs = 300

/** Whether this is worth asking about: amounts in their form, and one for input where there is any for tokens. */
function isPrice(price: PriceFields): boolean {
  const amounts = Object.values(price).every((amount) => typeof amount !== 'string' || /^\d{1,5}(\.\d{1,9})?$/.test(amount))
  const names = Object.keys(price)
  return amounts && names.length > 0 && (price.input !== undefined || !tokenFields.some((name) => names.includes(name)))
}

/** The part of the drawer that says what a price which is being typed would have meant. */
export function EffectPart(props: { model: string; price: PriceFields; isUsed: boolean }) {
  const typed = createMemo(() => JSON.stringify(props.price))
  const [asked, setAsked] = createSignal(typed())
  let pause: ReturnType<typeof setTimeout> | undefined
  createEffect(
    on(
      typed,
      (text) => {
        clearTimeout(pause)
        pause = setTimeout(() => setAsked(text), pauseMs)
      },
      { defer: true },
    ),
  )
  onCleanup(() => clearTimeout(pause))
  const effect = createLoad(
    () => (props.isUsed && isPrice(JSON.parse(asked())) ? asked() : undefined),
    (text, signal) => readEffect({ [props.model]: JSON.parse(text) }, signal),
  )
  // What cannot be a price has no effect: the form says why when it is saved.
  const known = () => (effect.error() || !isPrice(JSON.parse(asked())) ? undefined : effect.value()?.data[0])
  return (
    <DrawerPart title={t('effect')}>
      <Show when={props.isUsed} fallback={<p class="text-[13px] text-ink-2">{t('effectNone')}</p>}>
        <div class="text-[13px]" aria-live="polite">
          <Show when={known()} fallback={<p class="text-ink-2">{t('effectUnknown')}</p>}>
            {(one) => (
              <p>
                {t('effectText', {
                  requests: formatCount(one().requests),
                  before: formatMoney(one().before ?? one().cost),
                  after: formatMoney(one().after),
                })}
              </p>
            )}
          </Show>
          <p class="hint mt-1">{t('effectAbout')}</p>
        </div>
      </Show>
    </DrawerPart>
  )
}
