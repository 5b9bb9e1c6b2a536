/** What every part of the screen is handed: what it reads (`desk`), what it may do (`actions`), what is open (`view`). */
import type { Actions } from './actions.ts'
import type { Desk } from './desk.ts'
import type { View } from './view.ts'

export interface Bench {
  desk: Desk
  actions: Actions
  view: View
  /** Puts text into the composer and moves the focus there. */
  compose(text: string): void
  focusComposer(): void
  /** Shows the sign-in page; drafts stay. */
  signIn(): void
  /** Opens the editor of one of the person's messages. */
  editing(): string | null
  setEditing(id: string | null): void
}
