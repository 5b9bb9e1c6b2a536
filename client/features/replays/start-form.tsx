/** What is asked again, where, and what it would cost. Nothing is sent before the button. */
import { useNavigate } from '@solidjs/router'
import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { SwitchField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { type NewReplay, type ReplayEstimate, type ReplayRow, type ReplayTarget, replayBounds } from '#shared/console/replay'
import { t } from './messages.ts'

/** The fields that a person typed; undefined for what is no object of JSON. */
function fieldsOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const fields: unknown = JSON.parse(text)
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? (fields as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** The form of a new replay of these requests. */
export function StartForm(props: { ids: readonly string[]; onCancel(): void }) {
  const { admin } = useSession()
  const navigate = useNavigate()
  const [models, setModels] = createSignal('')
  const [channel, setChannel] = createSignal('')
  const [isSame, setSame] = createSignal(false)
  const [fields, setFields] = createSignal('')
  const [ceiling, setCeiling] = createSignal('')
  const write = createWrite()
  const offered = createLoad(
    () => '/api/models',
    (path, signal) => callApi<{ data: { id: string }[] }>('GET', path, undefined, signal),
  )

  const targets = (): ReplayTarget[] | undefined => {
    const set = fieldsOf(fields())
    if (!set) return undefined
    const named = models()
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    const more = {
      ...(isSame() && { sameChannel: true }),
      ...(!isSame() && channel().trim() !== '' && { channel: channel().trim() }),
      ...(Object.keys(set).length > 0 && { set }),
    }
    return named.length === 0 ? [more] : named.map((model) => ({ model, ...more }))
  }
  const question = () => {
    const chosen = targets()
    return chosen && JSON.stringify({ requestIds: props.ids.slice(0, replayBounds.asked), targets: chosen })
  }
  const estimate = createLoad(question, (body, signal) =>
    callApi<ReplayEstimate>('POST', '/api/replays/estimate', JSON.parse(body), signal),
  )

  const start = () => {
    const known = estimate.value()
    const chosen = targets()
    if (!known || !chosen || known.requestIds.length === 0) return
    const requestIds = known.requestIds.slice(0, replayBounds.requests)
    const asked: NewReplay = { requestIds, targets: chosen, ...(ceiling().trim() !== '' && { ceiling: ceiling().trim() }) }
    void write.run(async () => {
      const made = await callApi<ReplayRow>('POST', '/api/replays', asked)
      navigate(`/replay/${made.id}`)
    })
  }

  return (
    <Card title={t('newTitle', { count: props.ids.length })}>
      <form
        class="form cin"
        onSubmit={(event) => {
          event.preventDefault()
          start()
        }}
      >
        <TextField
          label={t('models')}
          hint={t('modelsHint')}
          value={models()}
          list={offered.value()?.data.map(({ id }) => id) ?? []}
          onChange={setModels}
        />
        <SwitchField label={t('onlySame')} on={isSame()} onChange={setSame} />
        <Show when={admin() && !isSame()}>
          <TextField label={t('channel')} hint={t('channelHint')} value={channel()} onChange={setChannel} />
        </Show>
        <TextField
          label={t('fields')}
          hint={t('fieldsHint')}
          mono
          error={fieldsOf(fields()) ? undefined : t('fieldsWrong')}
          value={fields()}
          onChange={setFields}
        />
        <UnitField label={t('ceiling')} hint={t('ceilingHint')} unit={t('usd')} value={ceiling()} onChange={setCeiling} />
        <div class="text-[13px]" role="status">
          <Show when={estimate.error()} fallback={<Show when={estimate.value()}>{(known) => <Estimated known={known()} />}</Show>}>
            {(error) => <p class="notice bad">{explain(error())}</p>}
          </Show>
        </div>
        <Show when={write.error()}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
        <div class="flex flex-wrap gap-2">
          <Button
            look="primary"
            icon="redo"
            type="submit"
            busy={write.busy()}
            aria-disabled={(estimate.value()?.requestIds.length ?? 0) === 0 ? 'true' : undefined}
          >
            {t('start')}
          </Button>
          <Button onClick={() => props.onCancel()}>{t('cancel')}</Button>
        </div>
      </form>
    </Card>
  )
}

/** What a job would cost, as a person reads it. */
export function Estimated(props: { known: ReplayEstimate }) {
  return (
    <Show when={props.known.requestIds.length > 0} fallback={<p class="notice">{t('noneKept')}</p>}>
      <p class="num">{t('estimate', { expected: formatMoney(props.known.expected), ceiling: formatMoney(props.known.ceiling) })}</p>
      <Show when={props.known.unknown > 0}>
        <p class="text-ink-2">{t('estimateUnknown', { count: props.known.unknown })}</p>
      </Show>
      <Show when={props.known.refused.length > 0}>
        <p class="text-ink-2">{t('notKept', { count: props.known.refused.length })}</p>
      </Show>
    </Show>
  )
}
