/** The keys of the playground, as data: the dialog lists them, the page obeys them. */
import type { Word } from '../words.ts'

export type Command = 'newChat' | 'focusInput' | 'stop' | 'search' | 'parameters' | 'inspector' | 'copyLast' | 'shortcuts' | 'regions'

export interface Shortcut {
  command: Command
  word: Word
  /** Shown in the dialog; `Mod` is Ctrl or Cmd. */
  keys: string[]
}

export const shortcuts: readonly Shortcut[] = [
  { command: 'newChat', word: 'newChat', keys: ['Mod', 'Shift', 'O'] },
  { command: 'focusInput', word: 'keyFocus', keys: ['/'] },
  { command: 'stop', word: 'stop', keys: ['Esc'] },
  { command: 'search', word: 'searchConversations', keys: ['Mod', 'K'] },
  { command: 'parameters', word: 'parameters', keys: ['Mod', '.'] },
  { command: 'inspector', word: 'inspector', keys: ['Mod', 'Shift', 'I'] },
  { command: 'copyLast', word: 'keyCopyLast', keys: ['Mod', 'Shift', 'L'] },
  { command: 'regions', word: 'keyRegions', keys: ['F6'] },
  { command: 'shortcuts', word: 'shortcuts', keys: ['?'] },
]

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** The command of a key press. Keys of one character count only outside fields, and only when they are switched on. */
export function commandOf(event: Pressed, inField: boolean, letters: boolean): Command | undefined {
  const mod = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase()
  if (event.key === 'F6') return 'regions'
  if (event.key === 'Escape') return 'stop'
  if (mod && !event.altKey) {
    if (event.shiftKey) return ({ o: 'newChat', i: 'inspector', l: 'copyLast' } as const)[key]
    return ({ k: 'search', '.': 'parameters' } as const)[key]
  }
  if (inField || !letters || event.altKey) return undefined
  return ({ '/': 'focusInput', '?': 'shortcuts' } as const)[key]
}
