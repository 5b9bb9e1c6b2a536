import { enChat } from './en-chat.ts'
import { enPanels } from './en-panels.ts'
import { enSharing } from './en-sharing.ts'
import { enStates } from './en-states.ts'

/** All English messages of the playground. */
export const en = { ...enChat, ...enPanels, ...enSharing, ...enStates }
