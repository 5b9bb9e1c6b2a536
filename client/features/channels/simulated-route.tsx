import { For, Show } from 'solid-js'
import { causes } from '#client/console/fallback-lines.ts'
import { Facts } from '#client/ui/console/facts.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import type { RouteAnswer, RouteCandidate } from '#shared/console/inspection/route'
import { t } from './messages.ts'

/** The order of attempts, the channels left out, and what happens when all fail. `channel` is highlighted. */
export function SimulatedRoute(props: { answer: RouteAnswer; channel: string | undefined }) {
  // What rests is tried last: it stands in the order, with the reason.
  const never = () => props.answer.leftOut.filter((one) => !props.answer.candidates.some((candidate) => isSame(one, candidate)))
  return (
    <>
      <Show when={props.answer.error}>
        {(error) => (
          <p class="notice bad">
            {error().message} <code>{error().code}</code>
          </p>
        )}
      </Show>
      <Card
        title={t('simOrder')}
        bare
        tools={
          <Show when={props.answer.largestCost}>
            {(most) => <span class="facts num">{t('simHold', { amount: formatMoney(most()) })}</span>}
          </Show>
        }
      >
        <ol>
          <For each={props.answer.candidates} fallback={<li class="list-line">{t('simNobody')}</li>}>
            {(candidate, at) => (
              <Candidate
                of={candidate}
                place={at() + 1}
                chance={chanceOf(props.answer, candidate)}
                rests={props.answer.leftOut.find((one) => isSame(one, candidate))?.reason}
                isThis={candidate.channel === props.channel}
              />
            )}
          </For>
        </ol>
      </Card>
      <Show when={never().length > 0}>
        <Card title={t('simOthers')} bare>
          <ul>
            <For each={never()}>
              {(other) => (
                <li class="list-line">
                  <span class="shape off" aria-hidden="true" />
                  <span class="min-w-0 flex-1">
                    <b>{other.channel}</b> <span class="text-ink-3">{other.key}</span>
                    <small>{other.reason}</small>
                  </span>
                  <Show when={other.channel === props.channel}>
                    <span class="bdg accent">{t('simThis')}</span>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        </Card>
      </Show>
      <Card title={t('simAllFail')}>
        <Facts facts={causes.map((cause) => [t(`sim_after_${cause}`), props.answer.fallbacks[cause].join(', ') || t('simNoFallback')])} />
      </Card>
    </>
  )
}

const isSame = (one: { channel: string; key: string | null }, other: { channel: string; key: string | null }): boolean =>
  one.channel === other.channel && one.key === other.key

/** Its chance as text: a share of draws, the figure that it is ordered by, or that it comes later. */
function chanceOf({ balancing, leftOut }: RouteAnswer, candidate: RouteCandidate): string {
  const { channel, rank, share } = candidate
  if (share === null && leftOut.some((one) => isSame(one, candidate))) return t('simRests')
  const figure = balancing?.channels.find((one) => one.channel === channel)?.figure
  const drawn = share === null ? figure : share === 1 ? '' : t('simShare', { share: formatPercent(share) })
  return [drawn, rank > 0 ? t('simAfter') : ''].filter(Boolean).join(', ')
}

function Candidate(props: { of: RouteCandidate; place: number; chance: string; rests: string | undefined; isThis: boolean }) {
  return (
    <li class="list-line">
      <span class="monogram" aria-hidden="true">
        {props.place}
      </span>
      <span class="min-w-0 flex-1">
        <b>{props.of.channel}</b> <span class="text-ink-3">{props.of.key}</span>
        <small>
          <code>{props.of.upstreamModel}</code>, {props.of.native ? t('native') : t('converted', { dialect: props.of.dialect })},{' '}
          {t('simPriority', { priority: String(props.of.priority) })}
        </small>
        <Show when={props.rests}>{(why) => <small>{why()}</small>}</Show>
        <For each={props.of.losses}>
          {(loss) => (
            <small>
              <span class="bdg warn">{t('loss')}</span> <code>{loss.field}</code> {loss.what}
            </small>
          )}
        </For>
        <Show when={props.of.refused}>{(why) => <small class="text-bad!">{t('refusedWhy', { message: why().message })}</small>}</Show>
      </span>
      <Show when={props.isThis}>
        <span class="bdg accent">{t('simThis')}</span>
      </Show>
      <Show when={props.chance}>{(chance) => <span class="num text-right text-[13px] text-ink-2">{chance()}</span>}</Show>
    </li>
  )
}
