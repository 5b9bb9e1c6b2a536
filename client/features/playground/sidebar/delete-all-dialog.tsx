import { createSignal } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Confirm } from '#client/ui/dialog.tsx'

/** Deletes all conversations after a typed confirmation, because they cannot be recovered. */
export function DeleteAllDialog(props: { page: PageContext; onClose(): void }) {
  const [typed, setTyped] = createSignal('')
  const { playground } = props.page
  const go = async () => {
    props.onClose()
    for (const row of playground.library.list()) await playground.library.remove(row.id)
    playground.open(null)
  }
  return (
    <Confirm
      title={t('deleteAllTitle', { count: playground.library.list().length })}
      intro={t('deleteAllIntro')}
      safe={t('cancel')}
      go={t('deleteAll')}
      typed={{ label: t('typeToDelete', { word: t('deleteWord') }), word: t('deleteWord'), value: typed(), onInput: setTyped }}
      onGo={() => void go()}
      onClose={props.onClose}
    />
  )
}
