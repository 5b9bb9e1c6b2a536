import { createMemo, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { GroupChoice } from '#client/features/playground/models/group-choice.tsx'
import { ModelChoice } from '#client/features/playground/models/model-choice.tsx'
import type { Actions } from '#client/features/playground/state/actions.ts'
import type { PlaygroundState } from '#client/features/playground/state/playground-state.ts'
import { showToast } from '#client/ui/toast.tsx'

/** Group and model in the composer. After the first message, choosing another starts a new conversation. */
export function GroupAndModel(props: { playground: PlaygroundState; actions: Actions }) {
  const { playground } = props
  const { group } = playground
  const groups = createMemo(() => {
    const listed = playground.catalogue.groups()
    return listed.state === 'ready' ? listed.rows : []
  })
  const models = createMemo(() => {
    const listed = playground.catalogue.models(group())
    return listed.state === 'ready' ? listed.rows : []
  })
  const model = () => playground.target()?.model ?? null

  const chooseGroup = (chosen: string) => {
    if (chosen === group()) return
    const listed = playground.catalogue.models(chosen)
    const known = listed.state === 'ready' ? listed.rows : undefined
    const kept = known === undefined || known.some((row) => row.id === model())
    if (!kept) showToast(t('modelNotThere', { model: model() ?? '', group: chosen }))
    begin(chosen, kept ? model() : null)
  }
  const begin = (chosenGroup: string, chosenModel: string | null) => {
    if (playground.modelLocked() && !playground.modelGone()) showToast(t('beganNew'))
    props.actions.selectModel(chosenGroup, chosenModel)
  }
  return (
    <>
      <Show when={groups().length > 0}>
        <GroupChoice groups={groups()} group={group()} onChoose={chooseGroup} />
      </Show>
      <ModelChoice
        rows={models()}
        model={model()}
        loading={playground.catalogue.models(group()).state === 'loading'}
        group={groups().find((row) => row.name === group())}
        note={playground.modelLocked() && !playground.modelGone() ? t('fixedNote') : undefined}
        onChoose={(chosen) => chosen !== model() && begin(group(), chosen)}
      />
    </>
  )
}
