/** Kept requests and answers, at each point where they were recorded. Loaded on demand: every read is in the audit trail. */
import { createMemo, createSignal, For, onMount, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { KeptRequestDeletion } from '#client/console/kept-deletion.tsx'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { Button } from '#client/ui/button.tsx'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { SelectField, SwitchField } from '#client/ui/console/form.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import { later } from '#client/ui/later.ts'
import type { KeptBody, KeptPart } from '#shared/console/body'
import type { LossRow } from '#shared/console/log'
import { bothWays, eventsOf, formatted, framesOf, isStream, type KeptEvent } from './kept-body.ts'
import { t } from './messages.ts'
import { OpenInPlayground } from './open-in-playground.tsx'

const RequestChanges = later(async () => (await import('./request-changes.tsx')).RequestChanges)

const borders = {
  'client-request': 'keptClientRequest',
  'upstream-request': 'keptUpstreamRequest',
  'upstream-answer': 'keptUpstreamAnswer',
  'client-answer': 'keptClientAnswer',
} as const

const read = (id: string, signal: AbortSignal): Promise<KeptBody> =>
  callApi('GET', `/api/bodies/${encodeURIComponent(id)}`, undefined, signal)

/** The bodies of a kept request. */
export function RequestBodies(props: { id: string; losses: readonly LossRow[] }) {
  const [asked, setAsked] = createSignal(false)
  const [gone, setGone] = createSignal(false)
  const kept = createLoad(() => (asked() ? props.id : undefined), read)
  return (
    <DrawerPart title={t('keptTitle')}>
      <Show when={!gone()} fallback={<p class="text-[13px] text-ink-2">{t('keptGone')}</p>}>
        <Show
          when={asked()}
          fallback={
            <>
              <p class="mb-3 text-[13px] text-ink-2">{t('keptIntro')}</p>
              <div class="flex flex-wrap gap-2">
                <Button onClick={() => setAsked(true)}>{t('keptShow')}</Button>
                <OpenInPlayground id={props.id} />
                <KeptRequestDeletion id={props.id} onDone={() => setGone(true)} />
              </div>
            </>
          }
        >
          <WhenLoaded of={kept}>
            {(body) => (
              <>
                <Parts body={body()} losses={props.losses} />
                <div class="mt-4 flex flex-wrap gap-2">
                  <OpenInPlayground id={props.id} />
                  <KeptRequestDeletion id={props.id} onDone={() => setGone(true)} />
                </div>
              </>
            )}
          </WhenLoaded>
        </Show>
      </Show>
    </DrawerPart>
  )
}

function Parts(props: { body: KeptBody; losses: readonly LossRow[] }) {
  const [chosen, setChosen] = createSignal(props.body.parts.some(({ frames }) => frames) ? 'session' : '0')
  const [isRaw, setRaw] = createSignal(false)
  const part = () => props.body.parts[Number(chosen())]
  const asked = () => props.body.parts.find(({ border }) => border === 'client-request')?.text
  /** Requests to upstreams that can be compared with the client’s. */
  const sent = () =>
    props.body.parts.filter(({ border, text }) => border === 'upstream-request' && text !== undefined && asked() !== undefined)
  const clientFrames = (border: KeptPart['border']) => {
    const [one] = props.body.parts.filter((part) => part.border === border && part.frames)
    return framesOf(one?.text ?? '', one?.pieces ?? [])
  }
  /** Both directions of a session, as its client saw them. */
  const session = createMemo(() => bothWays(clientFrames('client-request'), clientFrames('client-answer')))
  const isSession = () => props.body.parts.some(({ frames }) => frames)
  const compared = () => sent().find(({ call }) => chosen() === `changes ${call}`)?.text
  const labelOf = ({ border, to, call = 0 }: KeptPart) => {
    const named = to ?? props.body.parts.find((other) => other.call === call && other.to)?.to
    return t(borders[border], { channel: named?.channel ?? '', number: call + 1 })
  }
  let form: HTMLDivElement | undefined
  // The button that opened this is gone.
  onMount(() => form?.querySelector('select')?.focus({ preventScroll: true }))
  return (
    <div class="form" ref={form}>
      <SelectField
        label={t('keptBorder')}
        value={chosen()}
        options={[
          ...(isSession() ? [{ value: 'session', label: t('keptSession') }] : []),
          ...props.body.parts.map((one, n) => ({ value: String(n), label: labelOf(one) })),
          ...sent().map(({ call = 0, to }) => ({
            value: `changes ${call}`,
            label: t('keptChanges', { channel: to?.channel ?? '', number: call + 1 }),
          })),
        ]}
        onChange={setChosen}
      />
      <Show when={compared()} fallback={<SwitchField label={t('keptRaw')} on={isRaw()} onChange={setRaw} />}>
        {(text) => (
          <Suspense>
            <RequestChanges asked={asked() ?? ''} sent={text()} losses={props.losses} />
          </Suspense>
        )}
      </Show>
      <Show when={chosen() === 'session'}>
        <Events events={session()} isRaw={isRaw()} />
      </Show>
      <Show when={part()}>
        {(one) => (
          <>
            <p class="num text-[13px] text-ink-2">
              {[one().method, one().status, one().address].filter((fact) => fact !== undefined).join(' ')}{' '}
              {t('keptAfter', { time: formatDuration(one().atMs), bytes: one().bytes })}
            </p>
            <Show when={one().broken}>{(code) => <p class="notice bad">{t('keptBroken', { code: code() })}</p>}</Show>
            <Show when={one().leftBytes}>{(bytes) => <p class="notice">{t('keptFramesLeft', { bytes: bytes() })}</p>}</Show>
            <Show when={one().redacted}>
              <p class="notice">{t('keptRedacted')}</p>
            </Show>
            <Content part={one()} isRaw={isRaw()} />
            <Show when={one().headers.length > 0}>
              <details class="text-[13px]">
                <summary>{t('keptHeaders')}</summary>
                <pre class="kept-text" tabindex="0">
                  {one()
                    .headers.map(([name, value]) => `${name}: ${value}`)
                    .join('\n')}
                </pre>
              </details>
            </Show>
            <Show when={!one().leftOut}>
              <p class="text-[13px]">
                <a href={`/api/bodies/${encodeURIComponent(props.body.requestId)}/${chosen()}`} download={`${props.body.requestId}.txt`}>
                  {t('keptDownload')}
                </a>
              </p>
            </Show>
          </>
        )}
      </Show>
    </div>
  )
}

function Content(props: { part: KeptPart; isRaw: boolean }) {
  return (
    <Show
      when={props.part.text}
      fallback={
        <p class="text-[13px] text-ink-2">
          {props.part.leftOut ? t('keptLeftOut') : props.part.bytes === 0 ? t('keptEmpty') : t('keptNoText')}
        </p>
      }
    >
      {(text) => (
        <Show
          when={!props.isRaw && (props.part.frames || isStream(text()))}
          fallback={<Text text={props.isRaw ? text() : formatted(text())} />}
        >
          <Events events={props.part.frames ? framesOf(text(), props.part.pieces ?? []) : eventsOf(text(), props.part.pieces)} />
        </Show>
      )}
    </Show>
  )
}

function Text(props: { text: string }) {
  return (
    <pre class="kept-text" tabindex="0">
      {props.text}
    </pre>
  )
}

/** An arrow, with a text for screen readers. */
function Direction(props: { from: 'client' | 'parley' }) {
  const words = () => t(props.from === 'client' ? 'keptClientRequest' : 'keptClientAnswer')
  return (
    <span title={words()}>
      <span aria-hidden="true">{props.from === 'client' ? '→' : '←'}</span>
      <span class="sr-only">{words()}</span>
    </span>
  )
}

/** At most so many events are shown; a longer stream can be downloaded. */
const mostEvents = 500

/** The events of a stream with their times, as bars from the first to the last. */
function Events(props: { events: readonly KeptEvent[]; isRaw?: boolean }) {
  const times = () => props.events.flatMap(({ ms }) => ms ?? [])
  const first = () => times()[0] ?? 0
  const span = () => Math.max(1, (times().at(-1) ?? 0) - first())
  return (
    <>
      <ol class="kept-events" tabindex="0" aria-label={t('keptEvents')}>
        <For each={props.events.slice(0, mostEvents)}>
          {({ text, ms, from }) => (
            <li>
              <span class="num text-ink-2">
                {ms === undefined ? '' : formatDuration(ms)} <Show when={from}>{(one) => <Direction from={one()} />}</Show>
              </span>
              <span class="kept-bar" aria-hidden="true" style={{ width: `${(((ms ?? first()) - first()) / span()) * 100}%` }} />
              <code>{text === '' ? t('keptFrameLeft') : props.isRaw ? text : formatted(text)}</code>
            </li>
          )}
        </For>
      </ol>
      <Show when={props.events.length > mostEvents}>
        <p class="text-[13px] text-ink-2">{t('keptMoreEvents', { count: props.events.length - mostEvents })}</p>
      </Show>
    </>
  )
}
