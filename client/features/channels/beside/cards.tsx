/** Cards beside the settings of a channel: its last hour, and who depends on it. */
import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad, queryOf, readAll } from '#client/console/load.ts'
import { causeText } from '#client/console/rest-text.ts'
import { Facts } from '#client/ui/console/facts.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import { dayOf, midnightOf } from '#client/ui/time-zone.ts'
import type { ChannelOutcomes, ChannelRow, HealthRow } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import type { Page } from '#shared/console/model'
import type { UsageTotals } from '#shared/console/usage'
import { t } from './messages.ts'
import { reachOf } from './reach.ts'
import { sumOf } from './slice.ts'
import { Slices } from './slices.tsx'

const hourMs = 3_600_000

/** The cards. `groups`: every group with what it holds; undefined until they are known. */
export function SideCards(props: { row: ChannelRow; health: readonly HealthRow[]; groups: readonly ManagedGroupRow[] | undefined }) {
  return (
    <div class="stack">
      <LastHour row={props.row} health={props.health} />
      <WhoMayReach row={props.row} groups={props.groups} />
    </div>
  )
}

function LastHour(props: { row: ChannelRow; health: readonly HealthRow[] }) {
  const load = createLoad(
    () => props.row.name,
    async (channel, signal) => {
      const now = Date.now()
      const ask = <Answer,>(path: string) => callApi<Answer>('GET', path, undefined, signal)
      const from = new Date(now - hourMs).toISOString()
      const midnight = midnightOf(...dayOf(new Date(now))).toISOString()
      const [hour, today, outcomes] = await Promise.all([
        ask<Page<UsageTotals>>(`/api/usage?${queryOf({ channel, from })}`),
        ask<Page<UsageTotals>>(`/api/usage?${queryOf({ channel, from: midnight })}`),
        ask<ChannelOutcomes>(`/api/channels/${encodeURIComponent(props.row.id)}/outcomes`),
      ])
      return { hour: hour.data[0], today: today.data[0], slices: slicesOf(outcomes) }
    },
  )
  const cost = () => load.value()?.today?.upstreamCost ?? undefined
  const attempts = () => sumOf(load.value()?.slices ?? [])
  const share = () => (attempts().requests === 0 ? undefined : 1 - attempts().failed / attempts().requests)
  return (
    <Card title={t('lastHour')}>
      <Show
        when={load.value()}
        fallback={<Show when={load.error()}>{(error) => <Failure text={explain(error())} onRetry={() => void load.reload()} />}</Show>}
      >
        {(found) => (
          <>
            <span class="mb-3 flex items-center gap-2.5">
              <Slices slices={found().slices} large />
              <b class="num">{share() === undefined ? '–' : formatPercent(share() ?? 1, share() === 1 ? 0 : 1)}</b>
            </span>
            <Facts
              facts={[
                [t('requests'), <span class="num">{formatCount(found().hour?.requests ?? 0)}</span>],
                [
                  t('attempts'),
                  <span class="num">
                    {t('attemptsOf', { count: formatCount(attempts().requests), failed: formatCount(attempts().failed) })}
                  </span>,
                ],
                [
                  t('firstToken'),
                  found().hour?.latency.firstToken && (
                    <span class="num">
                      {t('median', {
                        p50: formatDuration(found().hour?.latency.firstToken?.p50 ?? 0),
                        p95: formatDuration(found().hour?.latency.firstToken?.p95 ?? 0),
                      })}
                    </span>
                  ),
                ],
                [t('lastError'), props.health[0] && <span title={props.health[0].cause}>{causeText(props.health[0].cause)}</span>],
                [
                  t('chargedToday'),
                  <a class="num" href={`/usage?${queryOf({ channel: props.row.name })}`} title={`$${found().today?.charged ?? '0'}`}>
                    {formatMoney(found().today?.charged ?? '0')}
                  </a>,
                ],
                [
                  t('costToday'),
                  cost() && (
                    <span class="num" title={`$${cost()}`}>
                      {formatMoney(cost() ?? '0')}
                    </span>
                  ),
                ],
              ]}
            />
          </>
        )}
      </Show>
    </Card>
  )
}

/** The slices of all keys and models together. */
function slicesOf({ data }: ChannelOutcomes) {
  const length = Math.max(0, ...data.map(({ slices }) => slices.length))
  return Array.from({ length: length || 24 }, (_, at) =>
    sumOf(data.map(({ slices }) => slices[at] && { requests: slices[at].attempts, failed: slices[at].failed })),
  )
}

function WhoMayReach(props: { row: ChannelRow; groups: readonly ManagedGroupRow[] | undefined }) {
  const channels = createLoad(
    () => '/api/channels',
    (path, signal) => readAll<ChannelRow>(path, signal),
  )
  const keys = () =>
    (props.groups ?? []).filter(({ name }) => props.row.groups.includes(name)).reduce((sum, { contents }) => sum + contents.keys, 0)
  return (
    <Card title={t('whoMayReach')}>
      <Show
        when={channels.value()}
        fallback={
          <Show when={channels.error()}>{(error) => <Failure text={explain(error())} onRetry={() => void channels.reload()} />}</Show>
        }
      >
        {(all) => {
          const reach = () => reachOf(props.row, all())
          const count = () => reach().models.length
          const shared = () => count() - reach().alone.length
          const link = (name: string) => all().find((one) => one.name === name)?.id ?? ''
          return (
            <div class="grid gap-2 text-[13px]/[20px] text-ink-2">
              <Show when={props.groups}>
                <p>{t('keysIn', { keys: keys(), groups: props.row.groups.length })}</p>
              </Show>
              <Show when={props.row.enabled} fallback={<p>{t('isOff')}</p>}>
                <Show when={reach().others.length > 0} fallback={<p>{t('noOther')}</p>}>
                  <p>
                    {t(shared() === count() ? 'allShared' : 'someShared', { shared: shared(), count: count() })}{' '}
                    <For each={reach().others.slice(0, mostOthers)}>
                      {(name, at) => (
                        <>
                          {at() > 0 ? ', ' : ''}
                          <a class="underline" href={`/admin/channels/${encodeURIComponent(link(name))}`}>
                            {name}
                          </a>
                        </>
                      )}
                    </For>
                    {reach().others.length > mostOthers ? t('andMore', { count: reach().others.length - mostOthers }) : t('stop')}
                  </p>
                  <Show when={reach().alone.length > 0} fallback={<p>{t('canBeOff')}</p>}>
                    <p>
                      {t('wouldBeGone')}{' '}
                      <For each={reach().alone.slice(0, mostOthers)}>
                        {(name, at) => (
                          <>
                            {at() > 0 ? ', ' : ''}
                            <code class="mono break-all text-ink">{name}</code>
                          </>
                        )}
                      </For>
                      {reach().alone.length > mostOthers ? t('andMore', { count: reach().alone.length - mostOthers }) : t('stop')}
                    </p>
                  </Show>
                </Show>
              </Show>
            </div>
          )
        }}
      </Show>
    </Card>
  )
}

/** At most so many names are written out. */
const mostOthers = 4
