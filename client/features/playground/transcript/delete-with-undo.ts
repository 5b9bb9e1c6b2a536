import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { showToast } from '#client/ui/toast.tsx'

/** Deletes a message and everything below it. The focus moves to the neighbouring message; the toast offers to undo. */
export function deleteWithUndo(page: PageContext, id: string, from: Element): void {
  const turn = from.closest('.turn-box')
  const neighbour = turn?.previousElementSibling ?? turn?.nextElementSibling
  const undo = page.actions.remove(id)
  showToast(t('deleted'), { label: t('undo'), run: undo })
  const next = neighbour?.querySelector<HTMLElement>('button')
  if (next) next.focus()
  else page.focusComposer()
}
