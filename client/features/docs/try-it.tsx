import { createSignal, onCleanup, Show, useContext } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { callApi } from '#client/api/http.ts'
import { SessionContext } from '#client/api/session.ts'
import { tryCall } from '#client/api/try-call.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { asApiError, createLoad } from '#client/console/load.ts'
import { announce, announceError } from '#client/ui/announcer.tsx'
import { Button } from '#client/ui/button.tsx'
import { AreaField, TextField } from '#client/ui/console/form.tsx'
import type { ModelRow, Page } from '#shared/console/model'
import { t } from './messages.ts'
import { namesDemo, substituteModel } from './sample-model.ts'

/** The key that was typed, for all endpoints of the page. In memory only. */
const [key, setKey] = createSignal('')
/** At most so many characters of an answer are shown. */
const mostShown = 200_000

/** Makes the call with a key that is typed here, and shows the answer as it arrives. */
export function TryIt(props: { method: string; path: string; body: string }) {
  const isNamed = namesDemo(props.path + props.body)
  // Without a session the available models are unknown.
  const models =
    isNamed && useContext(SessionContext)
      ? createLoad(
          () => '/api/models?limit=200',
          (path, signal) => callApi<Page<ModelRow>>('GET', path, undefined, signal),
        )
      : undefined
  const instead = () => substituteModel(props.path + props.body, models?.value()?.data ?? [])
  const named = (sample: string, as = (name: string) => name) => {
    const [from = '', to = ''] = instead() ?? []
    return from === '' ? sample : sample.replace(from, () => as(to))
  }
  const path = () => named(props.path, encodeURIComponent)
  const [typed, setBody] = createSignal<string>()
  const body = () => typed() ?? named(props.body)
  const [text, setText] = createSignal('')
  const [line, setLine] = createSignal('')
  const [failure, setFailure] = createSignal('')
  const [aborter, setAborter] = createSignal<AbortController>()
  onCleanup(() => aborter()?.abort(noLongerNeeded))
  const isBroken = () => {
    try {
      return body() !== '' && JSON.parse(body()) === undefined
    } catch {
      return true
    }
  }
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (aborter() !== undefined || isBroken()) return
    const mine = new AbortController()
    setAborter(mine)
    setText('')
    setFailure('')
    setLine('')
    const begun = performance.now()
    const ms = () => Math.round(performance.now() - begun)
    try {
      const call = await tryCall(props.method, path(), key().trim(), body(), mine.signal)
      let first = 0
      for await (const piece of call.pieces) {
        first ||= ms()
        setText((before) => (before + piece).slice(0, mostShown))
        setLine([t('status', { status: call.status, ms: ms() }), t('first', { ms: first }), call.requestId].filter(Boolean).join(', '))
      }
      announce(line())
    } catch (thrown) {
      if (mine.signal.aborted) return
      const error = asApiError(thrown)
      setFailure([explain(error), detailOf(error)].join(' '))
      announceError(explain(error))
    } finally {
      setAborter(undefined)
    }
  }
  return (
    <form class="docs-try" aria-label={`${t('tryIt')}: ${props.method} ${props.path}`} onSubmit={(event) => void send(event)}>
      <p class="hint">{t('tryWhy')}</p>
      <TextField label={t('key')} type="password" mono required value={key()} onChange={setKey} />
      <Show when={props.body !== ''}>
        <AreaField label={t('request')} mono rows={8} value={body()} onChange={setBody} {...(isBroken() ? { error: t('badJson') } : {})} />
      </Show>
      <div class="flex items-center gap-3">
        <Show
          when={aborter()}
          fallback={
            <Button type="submit" look="primary">
              {t('send')}
            </Button>
          }
        >
          {(running) => <Button onClick={() => running().abort(noLongerNeeded)}>{t('stop')}</Button>}
        </Show>
        <span class="hint num">{line()}</span>
      </div>
      <Show when={failure()}>
        <p class="notice bad">{failure()}</p>
      </Show>
      <Show when={text()}>
        {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
        <pre tabindex="0" role="region" aria-label={t('result', { path: props.path })}>
          {text()}
        </pre>
      </Show>
    </form>
  )
}
