/** Small things that several turns do: copy with a notice, delete with a way back. */

import { say } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyText } from '#client/ui/clipboard.ts'
import { showToast } from '#client/ui/toast.tsx'

export async function copyWithNotice(text: string): Promise<void> {
  showToast((await copyText(text)) ? say('copied') : say('copyRefused'))
}

/** Deletes a message with what follows. Focus goes to the neighbouring message, the toast brings everything back. */
export function deleteWithUndo(bench: PageContext, id: string, from: Element): void {
  const turn = from.closest('.turn-box')
  const neighbour = turn?.previousElementSibling ?? turn?.nextElementSibling
  const undo = bench.actions.remove(id)
  showToast(say('deleted'), { label: say('undo'), run: undo })
  const next = neighbour?.querySelector<HTMLElement>('button')
  if (next) next.focus()
  else bench.focusComposer()
}
