import { expect, test } from 'bun:test'
import { checker } from './check.ts'
import { Exact, Type } from './typebox.ts'

const check = checker(Exact({ name: Type.String(), models: Type.Array(Type.String(), { maxItems: 10 }) }))

/** A list that counts how often its items are read. */
function counted(length: number) {
  let reads = 0
  const items = new Proxy<string[]>(
    Array.from({ length }, () => 'm'),
    {
      get(list, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++
        return Reflect.get(list, key, receiver)
      },
    },
  )
  return { items, reads: () => reads }
}

test('of a list that is too long no item is looked at where only a few faults are wanted', () => {
  const { items, reads } = counted(60_000)
  const [fault] = check.faults({ name: 'x', models: items }, 100)
  expect(fault).toMatchObject({ code: 'invalid_value', path: ['models'] })
  expect(reads()).toBe(0)
})

test('what is unknown is found before it, and everything where all faults are wanted', () => {
  const models = Array.from({ length: 11 }, () => 1)
  expect(check.faults({ name: 'x', models, nmae: 'y' }, 100)[0]).toMatchObject({ code: 'unknown_field', path: ['nmae'] })
  expect(check.faults({ name: 'x', models })).toHaveLength(12)
})
