import { expect, test } from 'bun:test'
import { hasRoom } from './lib/memory-folder.mjs'

const gibibyte = 2 ** 30
const mounts = 'proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n'
const machine = { mounts, free: 8 * gibibyte, memory: 16 * gibibyte }

test('temporary files are kept in memory where there is plenty', () => {
  expect(hasRoom(machine)).toBe(true)
})

test.each([
  ['little of it may be used for files, as in a container', { free: gibibyte }],
  ['the machine has little left', { memory: 4 * gibibyte }],
  ['programs may not be run from there', { mounts: mounts.replace('nodev', 'nodev,noexec') }],
  ['the folder is on a disk', { mounts: 'proc /proc proc rw 0 0\n' }],
])('temporary files stay on the disk when %s', (_, what) => {
  expect(hasRoom({ ...machine, ...what })).toBe(false)
})
