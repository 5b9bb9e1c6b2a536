import { expect, test } from 'bun:test'
import { bookSamples, type CpuProfile, roomOf } from './rooms.ts'

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 4 })
const profile = (samples: number[], timeDeltas = samples.map(() => 1000)): CpuProfile => ({
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 4] },
    { id: 2, callFrame: frame('relay', 'file:///project/server/relay/relay.ts'), children: [3] },
    { id: 3, callFrame: frame('stringify') },
    { id: 4, callFrame: frame('drain') },
  ],
  samples,
  timeDeltas,
  startTime: 1_000_000,
})
const book = (given: CpuProfile, until = 2_000_000) => bookSamples(given, '/project', 1_000_000, until)

test('native code is attributed to the room that called it, and listed with its caller', () => {
  const { samples, rooms, functions } = book(profile([3, 3, 2, 4]))
  expect(samples).toBe(4)
  expect(rooms).toEqual([
    ['server/relay', 3],
    ['the runtime', 1],
  ])
  expect(functions).toEqual([
    ['stringify < relay server/relay/relay.ts:5', 2],
    ['relay server/relay/relay.ts:5', 1],
    ['drain < the runtime', 1],
  ])
})

test('time in which the process waited is attributed to no room, and samples outside of the load do not count', () => {
  expect(book(profile([3, 2], [1000, 900_000])).rooms).toEqual([['server/relay', 2]])
  expect(book(profile([3, 2], [1000, 900_000]), 1_500_000).samples).toBe(1)
})

test('a room is a folder at most three deep; packages stand for themselves', () => {
  const rooms = ['server/main.ts', 'server/relay/spend/hold.ts', 'server/protocols/openai/chat/head.ts', 'node_modules/@x/y/dist/z.js']
  expect(rooms.map(roomOf)).toEqual(['server', 'server/relay/spend', 'server/protocols/openai', 'package @x/y'])
})
