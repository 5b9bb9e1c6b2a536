import { describe, expect, test } from 'bun:test'
import { threadNow } from '#testing/thread-time'
import { type Message, titleFrom } from './conversation.ts'
import { chooseBranch, createThread } from './thread.ts'

const ask = (id: string, parent: string | null): Message => ({ id, conversation: 'c', parent, at: 1, role: 'user', text: id })
const ids = (messages: Message[]) => messages.map((message) => message.id)
const tree = () => createThread([ask('a', null), ask('b', 'a'), ask('b2', 'a'), ask('c', 'b'), ask('d', 'b2')])

describe('a conversation is a tree', () => {
  test('the newest branch is open until another is chosen', () => {
    expect(ids(tree().path({}))).toEqual(['a', 'b2', 'd'])
    expect(ids(tree().path({ a: 'b' }))).toEqual(['a', 'b', 'c'])
    expect(ids(tree().path({ a: 'gone' }))).toEqual(['a', 'b2', 'd'])
  })

  test('choosing a message opens its branch and leaves other choices alone', () => {
    const thread = tree()
    const choice = chooseBranch({ x: 'y' }, thread.lineage('c'))
    expect(ids(thread.path(choice))).toEqual(['a', 'b', 'c'])
    expect(choice.x).toBe('y')
  })

  test('removing a message removes those below it, and restoring brings them back', () => {
    const thread = tree()
    const removed = thread.remove('b')
    expect(ids(removed)).toEqual(['b', 'c'])
    expect(ids(thread.path({ a: 'b' }))).toEqual(['a', 'b2', 'd'])
    for (const message of removed) thread.put(message)
    expect(ids(thread.path({ a: 'b' }))).toEqual(['a', 'b', 'c'])
  })

  test('a restored version returns to its old position', () => {
    const at = (id: string, time: number): Message => ({ ...ask(id, 'a'), at: time })
    const thread = createThread([ask('a', null), at('b1', 1), at('b2', 2), at('b3', 3)])
    for (const message of thread.remove('b2')) thread.put(message)
    expect(ids(thread.siblings('b1'))).toEqual(['b1', 'b2', 'b3'])
  })

  test('versions are the children of one parent, oldest first', () => {
    expect(ids(tree().siblings('b2'))).toEqual(['b', 'b2'])
    expect(ids(tree().siblings('a'))).toEqual(['a'])
  })

  test('traversal ends for files with cycles or missing parents', () => {
    const thread = createThread([ask('a', 'b'), ask('b', 'a'), ask('c', 'missing')])
    expect(thread.path({})).toEqual([])
    expect(thread.lineage('a').length).toBeLessThanOrEqual(2)
    expect(ids(thread.below('a'))).toEqual(['a', 'b'])
  })

  test('ten thousand messages are a matter of milliseconds', () => {
    const messages = Array.from({ length: 10_000 }, (_, index) => ask(`m${index}`, index === 0 ? null : `m${index - 1}`))
    const started = threadNow()
    expect(createThread(messages).path({})).toHaveLength(10_000)
    expect(threadNow() - started).toBeLessThan(1_000)
  })
})

test('titles are one short line and never cut a character', () => {
  expect(titleFrom('\n  Hello there \nmore')).toBe('Hello there')
  expect([...titleFrom('😀'.repeat(80))]).toHaveLength(58)
})
