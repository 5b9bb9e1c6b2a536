/**
 * The message tree of one conversation in memory. Mutable and not reactive: the caller must notify the screen of changes.
 * Reading a path is linear in its length; everything else is constant.
 */
import type { Message } from './conversation.ts'

const root = ''

/** A tree of messages. */
export interface Thread {
  get(id: string): Message | undefined
  size(): number
  /** All messages, in the order in which they were added. */
  all(): Message[]
  /** Adds or replaces a message. */
  put(message: Message): void
  /** The message with everything below it, parents first. */
  below(id: string): Message[]
  /** Removes a message and everything below it. Returns what was removed, parents first. */
  remove(id: string): Message[]
  /** Children of the same parent, oldest first, the message itself included. */
  siblings(id: string): Message[]
  /** The open branch: from the root down to its leaf, by `choice`, else the newest child. */
  path(choice: Readonly<Record<string, string>>): Message[]
  /** From the root down to this message. */
  lineage(id: string | null): Message[]
}

/** A tree of `messages`, added in order. */
export function createThread(messages: Iterable<Message> = []): Thread {
  const byId = new Map<string, Message>()
  const children = new Map<string, string[]>()

  const childrenOf = (id: string) => children.get(id) ?? []
  const parentOf = (message: Message) => message.parent ?? root
  const present = (ids: string[]) => ids.flatMap((id) => byId.get(id) ?? [])

  const thread: Thread = {
    get: (id) => byId.get(id),
    size: () => byId.size,
    all: () => [...byId.values()],
    put(message) {
      if (!byId.has(message.id)) {
        const key = parentOf(message)
        const list = children.get(key) ?? []
        // By time, so that a restored version returns to its old position.
        const later = list.findIndex((id) => (byId.get(id)?.at ?? 0) > message.at)
        list.splice(later < 0 ? list.length : later, 0, message.id)
        children.set(key, list)
      }
      byId.set(message.id, message)
    },
    below(id) {
      const found: Message[] = []
      const seen = new Set<string>()
      const open = [id]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        const message = byId.get(next)
        if (!message || seen.has(next)) continue
        seen.add(next)
        found.push(message)
        open.push(...childrenOf(next))
      }
      return found
    },
    remove(id) {
      const removed = thread.below(id)
      const first = removed[0]
      if (!first) return []
      for (const message of removed) {
        byId.delete(message.id)
        children.delete(message.id)
      }
      const key = parentOf(first)
      children.set(
        key,
        childrenOf(key).filter((child) => child !== id),
      )
      return removed
    },
    siblings(id) {
      const message = byId.get(id)
      return message ? present(childrenOf(parentOf(message))) : []
    },
    path(choice) {
      const found: Message[] = []
      const seen = new Set<string>()
      for (let key = root; ; ) {
        const options = childrenOf(key)
        const chosen = choice[key]
        const id = chosen !== undefined && options.includes(chosen) ? chosen : options.at(-1)
        const message = id === undefined ? undefined : byId.get(id)
        if (!message || seen.has(message.id)) return found
        seen.add(message.id)
        found.push(message)
        key = message.id
      }
    },
    lineage(id) {
      const found: Message[] = []
      const seen = new Set<string>()
      for (let message = id === null ? undefined : byId.get(id); message && !seen.has(message.id); ) {
        seen.add(message.id)
        found.push(message)
        message = message.parent === null ? undefined : byId.get(message.parent)
      }
      return found.reverse()
    },
  }
  for (const message of messages) thread.put(message)
  return thread
}

/** `choice` changed so that the branch of `lineage` (root first) is open. */
export function chooseBranch(choice: Readonly<Record<string, string>>, lineage: readonly Message[]): Record<string, string> {
  const chosen = { ...choice }
  for (const message of lineage) chosen[message.parent ?? root] = message.id
  return chosen
}
