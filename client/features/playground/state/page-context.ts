/** What every part of the screen is handed: what it reads (`playground`), what it may do (`actions`), what is open (`view`). */
import type { Actions } from './actions.ts'
import type { PlaygroundState } from './playground-state.ts'
import type { ViewState } from './view-state.ts'

export interface PageContext {
  playground: PlaygroundState
  actions: Actions
  view: ViewState
  /** Puts text into the composer and moves the focus there. */
  compose(text: string): void
  focusComposer(): void
  /** Shows the sign-in page; drafts stay. */
  signIn(): void
  /** Opens the editor of one of the person's messages. */
  editedMessage(): string | null
  setEditedMessage(id: string | null): void
}
