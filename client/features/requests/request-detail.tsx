/** What happened to one request: facts, timeline, attempts, bill, usage, losses. */
import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { createLoad } from '#client/console/load.ts'
import { causeText } from '#client/console/rest-text.ts'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { formatAgo, formatDuration, formatExactly } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import type { AttemptRow, LogRow } from '#shared/console/log'
import type { Page as ApiPage } from '#shared/console/model'
import type { Found } from '#shared/console/search'
import { isDocumented } from '#shared/errors'
import { t } from './messages.ts'
import './requests.css'
import { NotKept } from './open-in-playground.tsx'
import { RequestBill } from './request-bill.tsx'
import { RequestBodies } from './request-bodies.tsx'
import { RequestTimeline } from './request-timeline.tsx'

const phases = { connect: 'phase_connect', 'first-event': 'phase_first', stream: 'phase_stream', done: 'phase_done' } as const

/** The parts of a request, one below the other. */
export function RequestDetail(props: { row: LogRow }) {
  const { admin } = useSession()
  /** The channel that answered; for an unanswered request the last one tried. */
  const channelName = () => (admin() ? (props.row.channel ?? props.row.attempts?.at(-1)?.channel) : undefined)
  /** Its page: the row has only its name. */
  const channel = createLoad(channelName, async (name, signal) => {
    const { data } = await callApi<ApiPage<Found>>('GET', `/api/search?q=${encodeURIComponent(name)}`, undefined, signal)
    return data.find((found) => found.kind === 'channel' && found.name === name)?.path
  })
  const retries = () => Math.max(0, (props.row.attempts?.length ?? 1) - 1)
  /** The dialect of the last upstream call if it differs from the client's. For administrators only. */
  const spoken = () => {
    const { dialect } = props.row.attempts?.at(-1) ?? {}
    return dialect === props.row.dialect ? undefined : dialect
  }
  const speed = () => {
    const { usage, firstTokenMs, totalMs } = props.row
    const ms = totalMs - (firstTokenMs ?? 0)
    return usage && firstTokenMs !== null && ms > 50 && usage.out.total > 0 ? ((usage.out.total / ms) * 1000).toFixed(1) : undefined
  }
  return (
    <>
      <DrawerPart>
        <div class="mb-3 flex flex-wrap items-center gap-2">
          <span class="bdg num" classList={{ ok: props.row.status < 400, bad: props.row.status >= 400 }}>
            {props.row.status}
          </span>
          <Show when={spoken()}>
            <span class="bdg info">{t('converted')}</span>
          </Show>
          <Show when={retries() > 0}>
            <span class="bdg">{t('retries', { count: retries() })}</span>
          </Show>
          <Show when={props.row.losses.length > 0}>
            <span class="bdg warn">{t('lossCount', { count: props.row.losses.length })}</span>
          </Show>
          <span class="num ml-auto text-[15px] font-semibold" title={`$${props.row.cost}`}>
            {formatMoney(props.row.cost)}
          </span>
        </div>
        <Facts
          facts={[
            [t('askedFor'), props.row.stream ? t('streamed', { model: props.row.model }) : props.row.model],
            [t('answeredBy'), props.row.answeredModel],
            [
              t('key'),
              <span>
                <Show when={props.row.key} fallback={t('playground')}>
                  {(name) => (
                    <a class="underline" href={`/keys?q=${encodeURIComponent(name())}`}>
                      {name()}
                    </a>
                  )}
                </Show>{' '}
                <Show when={props.row.user?.name}>{(name) => t('ofUser', { user: name() })}</Show>
                <Show when={props.row.team}>{(team) => t('paidBy', { team: team().name ?? team().id })}</Show>
              </span>,
            ],
            [t('group'), props.row.price ? t('inGroup', { group: props.row.group, ratio: props.row.price.ratio }) : props.row.group],
            [t('endpoint'), `${props.row.dialect}, ${props.row.operation}`],
            [t('conversion'), spoken() && t('conversionPath', { from: props.row.dialect, to: spoken() ?? '' })],
            [t('when'), <span title={formatAgo(props.row.at)}>{formatExactly(props.row.at)}</span>],
            [t('ended'), t(`end_${props.row.end}`)],
            [
              t('replayOf'),
              props.row.replayOf && (
                <a class="mono" href={`/requests/${encodeURIComponent(props.row.replayOf)}`}>
                  {props.row.replayOf}
                </a>
              ),
            ],
            [t('speed'), speed() && t('speedOf', { speed: speed() ?? '' })],
          ]}
        />
        <Show when={props.row.error}>
          {(error) => (
            <p class="notice bad mt-3">
              {error().message}{' '}
              <Show when={isDocumented(error().code)} fallback={<code class="text-[12px]">{error().code}</code>}>
                <a href={`/docs?page=errors#error-${error().code}`}>
                  <code class="text-[12px]">{error().code}</code>
                </a>
              </Show>
              <Show when={props.row.repeats}>{(count) => <span class="mt-1 block">{t('standsFor', { count: count() })}</span>}</Show>
            </p>
          )}
        </Show>
      </DrawerPart>
      <DrawerPart title={t('timeline')} note={formatDuration(props.row.totalMs)}>
        <RequestTimeline row={props.row} />
      </DrawerPart>
      <Show when={admin() && (props.row.attempts?.length ?? 0) > 0}>
        <DrawerPart title={t('attempts')}>
          <ol class="attempts">
            <For each={props.row.attempts}>{(attempt) => <Attempt attempt={attempt} row={props.row} />}</For>
          </ol>
          <p class="mt-3 flex flex-wrap gap-x-4 text-[13px]">
            <a href={channel.value() ?? `/admin/channels?q=${encodeURIComponent(channelName() ?? '')}`}>{t('toChannel')}</a>
            <a href={`/admin/channels/simulate?model=${encodeURIComponent(props.row.model)}&group=${encodeURIComponent(props.row.group)}`}>
              {t('route')}
            </a>
          </p>
        </DrawerPart>
      </Show>
      <RequestBill row={props.row} />
      <Show when={props.row.stored && props.row.requestId} keyed fallback={<NotKept row={props.row} />}>
        {(id) => <RequestBodies id={id} losses={props.row.losses} />}
      </Show>
      <DrawerPart title={t('lossesTitle')}>
        <Show when={props.row.losses.length > 0} fallback={<p class="text-[13px] text-ink-2">{t('lossesNone')}</p>}>
          <ul class="grid gap-2 text-[13px]">
            <For each={props.row.losses}>
              {(loss) => (
                <li>
                  <code>{loss.field}</code> <span class="text-ink-2">{loss.what === 'dropped' ? t('dropped') : t('adapted')}: </span>
                  {loss.reason}
                </li>
              )}
            </For>
          </ul>
          <p class="mt-3 text-[13px]">
            <a href="/docs?page=losses">{t('lossesAll')}</a>
          </p>
        </Show>
      </DrawerPart>
    </>
  )
}

function Attempt(props: { attempt: AttemptRow; row: LogRow }) {
  return (
    <li>
      <span class={`shape ${props.attempt.cause === null ? 'ok' : 'bad'}`} aria-hidden="true" />
      <div class="min-w-0">
        <div class="flex gap-2">
          <span class="min-w-0 flex-1">
            <b class="font-medium">{props.attempt.channel}</b>{' '}
            <Show when={props.attempt.key}>{(key) => <span class="text-ink-3">{t('attemptKey', { key: key() })}</span>}</Show>
          </span>
          <span class="num">
            {props.attempt.status}
            {props.attempt.status === null ? '' : ', '}
            {formatDuration(props.attempt.ms)}
          </span>
        </div>
        <p class="tiny text-ink-3">
          <Show
            when={props.attempt.cause}
            fallback={t('attemptAs', { model: props.row.upstreamModel ?? props.attempt.model ?? props.row.model })}
          >
            {(cause) => (
              <>
                {t('attemptFailed', { cause: causeText(cause()), phase: t(phases[props.attempt.phase]) })}{' '}
                <Show when={causeText(cause()) !== cause()}>
                  <code>{cause()}</code>
                </Show>
              </>
            )}
          </Show>
        </p>
      </div>
    </li>
  )
}
