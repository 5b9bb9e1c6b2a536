import type { Actions } from './actions.ts'
import type { PlaygroundState } from './playground-state.ts'
import type { ViewState } from './view-state.ts'

/** Shared by all parts of the screen: the state (`playground`), the `actions`, and what is open (`view`). */
export interface PageContext {
  playground: PlaygroundState
  actions: Actions
  view: ViewState
  /** Puts text into the composer and moves the focus there. */
  compose(text: string): void
  focusComposer(): void
  /** Shows the sign-in page; drafts stay. */
  signIn(): void
  /** The user message that is being edited. */
  editedMessage(): string | null
  setEditedMessage(id: string | null): void
}
