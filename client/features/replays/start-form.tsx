/** The requests to replay, their targets, and the estimated cost. Nothing is sent before the button is pressed. */

import { useNavigate } from '@solidjs/router'
import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { UnitField } from '#client/ui/console/form.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { type NewReplay, type ReplayEstimate, type ReplayRow, replayBounds } from '#shared/console/replay'
import { t } from './messages.ts'
import { type Chosen, TargetsBar } from './targets-bar.tsx'

/** The form of a new replay of these requests. */
export function StartForm(props: { ids: readonly string[]; onCancel(): void }) {
  const navigate = useNavigate()
  const [chosen, setChosen] = createSignal<Chosen>({ targets: [{}] })
  const [ceiling, setCeiling] = createSignal('')
  const write = createWrite()
  const question = () => JSON.stringify({ requestIds: props.ids.slice(0, replayBounds.asked), ...chosen() })
  const estimate = createLoad(question, (body, signal) =>
    callApi<ReplayEstimate>('POST', '/api/replays/estimate', JSON.parse(body), signal),
  )

  const start = () => {
    const known = estimate.value()
    if (!known || known.requestIds.length === 0) return
    const requestIds = known.requestIds.slice(0, replayBounds.requests)
    const asked: NewReplay = { requestIds, ...askedOf(chosen()), ...(ceiling().trim() !== '' && { ceiling: ceiling().trim() }) }
    void write.run(async () => {
      const made = await callApi<ReplayRow>('POST', '/api/replays', asked)
      navigate(`/replay/${made.id}`)
    })
  }

  return (
    <div class="mb-4">
      <Card title={t('newTitle', { count: props.ids.length })}>
        <form
          class="form cin"
          onSubmit={(event) => {
            event.preventDefault()
            start()
          }}
        >
          <TargetsBar value={chosen()} onChange={setChosen} />
          <UnitField label={t('ceiling')} hint={t('ceilingHint')} unit={t('usd')} value={ceiling()} onChange={setCeiling} />
          <div class="text-[13px]" role="status">
            <Show
              when={estimate.error()}
              fallback={
                <Show when={estimate.value()}>{(known) => <Estimated known={known()} isTeams={chosen().team !== undefined} />}</Show>
              }
            >
              {(error) => <p class="notice bad">{explain(error())}</p>}
            </Show>
          </div>
          <Refusal of={write} />
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
    </div>
  )
}

/** The request to the API. */
export const askedOf = ({ targets, team }: Chosen): Pick<NewReplay, 'targets' | 'team'> => ({
  targets: [...targets],
  ...(team !== undefined && { team }),
})

/** The estimated cost of a job as text. */
export function Estimated(props: { known: ReplayEstimate; isTeams: boolean }) {
  const figures = () => ({ expected: formatMoney(props.known.expected), ceiling: formatMoney(props.known.ceiling) })
  return (
    <Show when={props.known.requestIds.length > 0} fallback={<p class="notice">{t('noneKept')}</p>}>
      <p class="num">{t(props.isTeams ? 'estimateTeam' : 'estimate', figures())}</p>
      <Show when={props.known.unknown > 0}>
        <p class="text-ink-2">{t('estimateUnknown', { count: props.known.unknown })}</p>
      </Show>
      <Show when={props.known.refused.length > 0}>
        <p class="text-ink-2">{t('notKept', { count: props.known.refused.length })}</p>
      </Show>
    </Show>
  )
}
