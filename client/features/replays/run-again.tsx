/** Replays the requests of a job again on the chosen targets: the cost is shown before anything is sent. */
import { useNavigate } from '@solidjs/router'
import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Refusal, Skeleton } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import type { NewReplay, ReplayDetail, ReplayEstimate, ReplayQuestion, ReplayRow } from '#shared/console/replay'
import { t } from './messages.ts'
import { askedOf, Estimated } from './start-form.tsx'
import type { Chosen } from './targets-bar.tsx'

/** The button, and the dialog that shows the cost. */
export function RunAgain(props: { job: ReplayDetail; chosen: Chosen }) {
  const [asked, setAsked] = createSignal(false)
  return (
    <>
      <Button look="primary" icon="redo" onClick={() => setAsked(true)}>
        {t('runAgain')}
      </Button>
      <Show when={asked()}>
        <AgainDialog job={props.job} chosen={props.chosen} onClose={() => setAsked(false)} />
      </Show>
    </>
  )
}

function AgainDialog(props: { job: ReplayDetail; chosen: Chosen; onClose(): void }) {
  const navigate = useNavigate()
  const write = createWrite()
  const question = (): ReplayQuestion => ({
    requestIds: [...new Set(props.job.results.map(({ requestId }) => requestId))],
    ...askedOf(props.chosen),
    // Another payer has other groups.
    ...(props.chosen.team === props.job.team?.id && { group: props.job.group }),
  })
  const estimate = createLoad(
    () => JSON.stringify(question()),
    (body, signal) => callApi<ReplayEstimate>('POST', '/api/replays/estimate', JSON.parse(body), signal),
  )
  const isPossible = () => (estimate.value()?.requestIds.length ?? 0) > 0
  const start = () => {
    const known = estimate.value()
    if (!known || !isPossible()) return
    void write.run(async () => {
      const made = await callApi<ReplayRow>('POST', '/api/replays', { ...question(), requestIds: known.requestIds } satisfies NewReplay)
      props.onClose()
      navigate(`/replay/${made.id}`)
    })
  }
  return (
    <Dialog
      title={t('runAgain')}
      intro={t('runAgainWhy')}
      onClose={() => props.onClose()}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{t('cancel')}</Button>
          <Button look="primary" icon="redo" busy={write.busy()} aria-disabled={isPossible() ? undefined : 'true'} onClick={start}>
            {t('start')}
          </Button>
        </>
      }
    >
      <div class="text-[13px]" role="status">
        <Show
          when={estimate.error()}
          fallback={
            <Show when={estimate.value()} fallback={<Skeleton />}>
              {(known) => <Estimated known={known()} isTeams={props.chosen.team !== undefined} />}
            </Show>
          }
        >
          {(error) => <p class="notice bad">{explain(error())}</p>}
        </Show>
      </div>
      <Refusal of={write} />
    </Dialog>
  )
}
