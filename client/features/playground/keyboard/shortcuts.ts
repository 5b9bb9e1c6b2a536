/** The shortcuts of the playground, as data: the dialog lists them, the page handles them. */
import type { MessageKey } from '#client/features/playground/messages/messages.ts'

/** What a shortcut does. */
export type Command = 'newChat' | 'focusInput' | 'stop' | 'search' | 'parameters' | 'inspector' | 'copyLast' | 'shortcuts' | 'regions'

/** A shortcut. */
export interface Shortcut {
  command: Command
  label: MessageKey
  /** Shown in the dialog; `Mod` is Ctrl or Cmd. */
  keys: string[]
}

/** All shortcuts, in the order of the dialog. */
export const shortcuts: readonly Shortcut[] = [
  { command: 'newChat', label: 'newChat', keys: ['Mod', 'Shift', 'O'] },
  { command: 'focusInput', label: 'keyFocus', keys: ['/'] },
  { command: 'stop', label: 'stop', keys: ['Esc'] },
  { command: 'search', label: 'searchConversations', keys: ['Mod', 'Shift', 'F'] },
  { command: 'parameters', label: 'parameters', keys: ['Mod', '.'] },
  { command: 'inspector', label: 'inspector', keys: ['Mod', ';'] },
  { command: 'copyLast', label: 'keyCopyLast', keys: ['Mod', 'Shift', 'L'] },
  { command: 'regions', label: 'keyRegions', keys: ['F6'] },
  { command: 'shortcuts', label: 'shortcuts', keys: ['?'] },
]

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** The command of a key press. Single keys count only outside of fields, and only when they are on. */
export function commandOf(event: Pressed, inField: boolean, letters: boolean): Command | undefined {
  const mod = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase()
  if (event.key === 'F6') return 'regions'
  if (event.key === 'Escape') return 'stop'
  if (mod && !event.altKey) {
    if (event.shiftKey) return ({ o: 'newChat', f: 'search', l: 'copyLast' } as const)[key]
    return ({ '.': 'parameters', ';': 'inspector' } as const)[key]
  }
  if (inField || !letters || event.altKey) return undefined
  return ({ '/': 'focusInput', '?': 'shortcuts' } as const)[key]
}
