/** Small things that several turns do: copy with a notice, delete with a way back. */
import { copyText } from '#client/ui/clipboard.ts'
import { toast } from '#client/ui/toast.tsx'
import type { Bench } from '../bench.ts'
import { say } from '../words.ts'

export async function copyWithNotice(text: string): Promise<void> {
  toast((await copyText(text)) ? say('copied') : say('copyRefused'))
}

/** Deletes a message with what follows. Focus goes to the neighbouring message, the toast brings everything back. */
export function removeWithUndo(bench: Bench, id: string, from: Element): void {
  const turn = from.closest('.turn-box')
  const neighbour = turn?.previousElementSibling ?? turn?.nextElementSibling
  const undo = bench.actions.remove(id)
  toast(say('deleted'), { label: say('undo'), run: undo })
  const next = neighbour?.querySelector<HTMLElement>('button')
  if (next) next.focus()
  else bench.focusComposer()
}
