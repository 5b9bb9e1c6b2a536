/** Deleting every conversation needs a typed word, because nothing brings them back. */
import { createSignal } from 'solid-js'
import { say } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Confirm } from '#client/ui/dialog.tsx'

export function DeleteAllDialog(props: { bench: PageContext; onClose(): void }) {
  const [typed, setTyped] = createSignal('')
  const { desk } = props.bench
  const go = async () => {
    props.onClose()
    for (const row of desk.library.list()) await desk.library.remove(row.id)
    desk.open(null)
  }
  return (
    <Confirm
      title={say('deleteAllTitle', { count: desk.library.list().length })}
      intro={say('deleteAllIntro')}
      safe={say('cancel')}
      go={say('deleteAll')}
      typed={{ label: say('typeToDelete', { word: say('deleteWord') }), word: say('deleteWord'), value: typed(), onInput: setTyped }}
      onGo={() => void go()}
      onClose={props.onClose}
    />
  )
}
