import { createMemo, createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BillTable, unitText } from '#client/console/bill-table.tsx'
import { explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { createSettled } from '#client/console/settled.ts'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { SelectField, UnitField } from '#client/ui/console/form.tsx'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import type { CostAnswer } from '#shared/console/inspection/cost'
import type { ModelRow } from '#shared/console/model'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'
import { isAmount, questionOf, type Unit, unitsOf, type Way, waysOf } from './question.ts'

const pieces: readonly Unit[] = ['image', 'second', 'search', 'character']
/** Debounce of typing, in milliseconds. */
const pauseMs = 300

/** The cost of one request, and of many, to this model in the group, calculated as its bill would be. */
export function Calculator(props: { row: ModelRow; group: string }) {
  const [amounts, setAmounts] = createSignal<ReadonlyMap<Unit, string>>(unitsOf(props.row.price))
  const [ways, setWays] = createSignal<Partial<Record<Way, string>>>({})
  const [times, setTimes] = createSignal('1')
  const typed = createMemo(() => {
    const question = questionOf(props.row, props.group, amounts(), ways())
    return question && JSON.stringify(question)
  })
  const asked = createSettled(typed, pauseMs)
  const answer = createLoad(asked, (text, signal) => callApi<CostAnswer>('POST', '/api/prices/cost', JSON.parse(text), signal))
  const known = () => (answer.error() || typed() === undefined ? undefined : answer.value())
  const isOld = () => answer.loading() || typed() !== asked()
  const count = () => (isAmount(times()) && Number(times()) > 1 ? BigInt(times().trim()) : undefined)
  const wrong = (text: string) => (isAmount(text) ? undefined : t('badAmount'))
  return (
    <DrawerPart title={t('calculator')} note={t('calculatorNote')}>
      <div class="form two">
        <For each={[...unitsOf(props.row.price).keys()]}>
          {(unit) => (
            <UnitField
              label={unitText(unit)}
              unit={pieces.includes(unit) ? '' : t('tokens')}
              placeholder="0"
              value={amounts().get(unit) ?? ''}
              error={wrong(amounts().get(unit) ?? '')}
              onChange={(text) => setAmounts(new Map(amounts()).set(unit, text))}
            />
          )}
        </For>
        <For each={waysOf(props.row.price)}>
          {([field, words]) => (
            <SelectField
              label={t(`way_${field}`)}
              value={ways()[field] ?? ''}
              options={[{ value: '', label: t('wayUsual') }, ...words.map((value) => ({ value, label: value }))]}
              onChange={(word) => setWays({ ...ways(), [field]: word })}
            />
          )}
        </For>
        <UnitField label={t('times')} unit="" value={times()} error={wrong(times())} onChange={setTimes} />
      </div>
      <div class="mt-4" aria-live="polite" aria-busy={isOld()}>
        <Show when={answer.error()}>{(error) => <p class="wrong">{explain(error())}</p>}</Show>
        <Show when={known()}>
          {(one) => (
            <div classList={{ 'opacity-50': isOld() }}>
              <BillTable bill={one().bill} group={one().group} total={t('perRequest')} />
              <Show when={count()}>
                {(many) => (
                  <p class="num mt-2 text-[13px]">
                    {t('forMany', { count: formatCount(Number(many())), amount: formatMoney(timesOf(one().bill.cost, many())) })}
                  </p>
                )}
              </Show>
            </div>
          )}
        </Show>
      </div>
    </DrawerPart>
  )
}

/** Each request is rounded separately. */
const timesOf = (usd: string, many: bigint): string => formatUsd(parseUsd(usd) * many)
