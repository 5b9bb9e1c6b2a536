/**
 * One prompt to several models. Columns are branches of the open conversation: they share the first prompt, their replies to
 * it are versions of one another, and each column continues on its own. Picking a winner opens its branch and takes its
 * model.
 */
import { type Accessor, createSignal } from 'solid-js'
import { type Message, newId } from '#client/features/playground/conversation/conversation.ts'
import { chooseBranch } from '#client/features/playground/conversation/thread.ts'
import type { Actions } from '#client/features/playground/state/actions.ts'
import type { ModelTarget, PlaygroundState } from '#client/features/playground/state/playground-state.ts'

/** A column: its model, and where its branch ends. */
export interface Column {
  key: string
  of: ModelTarget
  /** Last message of the column's branch, or null while it shares the conversation's. */
  leaf: string | null
}

/** The columns and what can be done with them. */
export interface Comparison {
  columns: Accessor<Column[]>
  add(of: ModelTarget): void
  drop(key: string): void
  choose(key: string, of: ModelTarget): void
  send(text: string): void
  running: Accessor<boolean>
  stop(): void
  /** The column's messages since comparing began, oldest first. Tracks. */
  messages(column: Column): Message[]
  pick(column: Column): void
}

/** Columns that fit on the screen. */
export const maxColumns = 4

/** A comparison that starts with one column per target. Its branches belong to the open conversation. */
export function createComparison(playground: PlaygroundState, actions: Actions, start: ModelTarget[]): Comparison {
  const column = (of: ModelTarget): Column => ({ key: newId(), of, leaf: null })
  const [columns, setColumns] = createSignal(start.map(column))
  const shared = playground.path().length
  const patch = (key: string, change: Partial<Column>) =>
    setColumns((before) => before.map((one) => (one.key === key ? { ...one, ...change } : one)))
  const lineage = (leaf: string | null) =>
    leaf === null ? [] : playground.library.thread(playground.conversation().id).thread.lineage(leaf)
  const runningIds = () => columns().flatMap((one) => (one.leaf !== null && playground.replies.ids().has(one.leaf) ? [one.leaf] : []))

  return {
    columns,
    add: (of) => setColumns((before) => (before.length < maxColumns ? [...before, column(of)] : before)),
    drop(key) {
      const gone = columns().find((one) => one.key === key)
      if (gone?.leaf) playground.replies.stop(gone.leaf)
      setColumns((before) => before.filter((one) => one.key !== key))
    },
    choose: (key, of) => patch(key, { of }),
    send(text) {
      const end = playground.path().at(-1)?.id ?? null
      let first: { id: string; conversation: string } | undefined
      for (const one of columns()) {
        const asked = one.leaf === null && first !== undefined ? first : actions.addUserMessage(text, one.leaf ?? end, one.of)
        if (one.leaf === null) first = asked
        const reply = newId()
        patch(one.key, { leaf: reply })
        void actions.generateReply(asked.conversation, asked.id, one.of, reply)
      }
    },
    running: () => runningIds().length > 0,
    stop() {
      for (const id of runningIds()) playground.replies.stop(id)
    },
    messages(one) {
      return lineage(one.leaf)
        .slice(shared)
        .flatMap((message) => playground.message(message.id) ?? [])
    },
    pick(one) {
      const { choice } = playground.conversation()
      playground.update({ ...one.of, choice: chooseBranch(choice, lineage(one.leaf)) })
    },
  }
}
