/** Group and model at the bottom right of the input box. After the first message, choosing begins a new conversation. */
import { createMemo, Show } from 'solid-js'
import { showToast } from '#client/ui/toast.tsx'
import type { Actions } from '../actions.ts'
import type { PlaygroundState } from '../desk.ts'
import { GroupChoice } from '../models/group-choice.tsx'
import { ModelChoice } from '../models/model-choice.tsx'
import { say } from '../words.ts'

export function GroupAndModel(props: { desk: PlaygroundState; actions: Actions }) {
  const { desk } = props
  const group = () => desk.conversation().group ?? desk.user().group
  const groups = createMemo(() => {
    const listed = desk.catalogue.groups()
    return listed.state === 'ready' ? listed.rows : []
  })
  const models = createMemo(() => {
    const listed = desk.catalogue.models(group())
    return listed.state === 'ready' ? listed.rows : []
  })
  const model = () => desk.target()?.model ?? null

  const chooseGroup = (chosen: string) => {
    if (chosen === group()) return
    const listed = desk.catalogue.models(chosen)
    const known = listed.state === 'ready' ? listed.rows : undefined
    const kept = known === undefined || known.some((row) => row.id === model())
    if (!kept) showToast(say('modelNotThere', { model: model() ?? '', group: chosen }))
    begin(chosen, kept ? model() : null)
  }
  const begin = (chosenGroup: string, chosenModel: string | null) => {
    if (desk.modelLocked()) showToast(say('beganNew'))
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
        group={groups().find((row) => row.name === group())}
        note={desk.modelLocked() ? say('fixedNote') : undefined}
        onChoose={(chosen) => chosen !== model() && begin(group(), chosen)}
      />
    </>
  )
}
