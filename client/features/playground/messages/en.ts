/** All English words of the playground. */
import { enChat } from './en-chat.ts'
import { enPanels } from './en-panels.ts'
import { enStates } from './en-states.ts'

export const en = { ...enChat, ...enPanels, ...enStates }
