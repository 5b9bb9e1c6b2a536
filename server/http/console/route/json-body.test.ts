import { expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { checker } from '#shared/check'
import { Exact, MapOf, Type } from '#shared/typebox'
import { readJson } from './json-body.ts'

const check = checker(Exact({ name: Type.String(), models: Type.Optional(Type.Array(Type.String(), { maxItems: 10_000 })) }))
const read = (body: string) =>
  readJson(new Request('http://127.0.0.1/', { method: 'POST', body, headers: { 'content-type': 'application/json' } }), check, systemClock)

test('a name that a map cannot have is refused with the place of the map, without repeating it', async () => {
  const maps = checker(Exact({ headers: MapOf(8, Type.String(), '[A-Za-z0-9-]') }))
  const init = { method: 'POST', body: '{"headers":{"bad header":"x"}}', headers: { 'content-type': 'application/json' } }
  const thrown = await readJson(new Request('http://127.0.0.1/', init), maps, systemClock).catch((thrown: unknown) => thrown)
  expect(thrown).toMatchObject({ code: 'unknown_field', param: 'headers', message: 'headers: It has a name that cannot be used here.' })
})

const refusal = (body: string) =>
  read(body).then(
    () => undefined,
    ({ code, param }) => [code, param],
  )

/** How often others had their turn during the work. */
async function turnsIn(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

test('a large body is read in steps', async () => {
  const models = Array.from({ length: 10_000 }, (_, at) => `model-${at}-${'x'.repeat(50)}`)
  const body = JSON.stringify({ name: 'x', models })
  expect(await turnsIn(async () => expect(await read(body)).toEqual({ name: 'x', models }))).toBeGreaterThan(5)
})

test('each step refuses what it did before', async () => {
  const padding = `"models":["${'x'.repeat(100_000)}"]`
  for (const more of ['', `,${padding}`]) {
    expect(await refusal(`{"name":"x"${more}`)).toEqual(['invalid_json', undefined])
    expect(await refusal(`{"name":"x","name":"y"${more}}`)).toEqual(['ambiguous_field', undefined])
    expect(await refusal(`{"name":1${more}}`)).toEqual(['invalid_value', 'name'])
    expect(await refusal(`{"nmae":"x"${more}}`)).toEqual(['unknown_field', 'nmae'])
    expect(await refusal(`{"a b":"x"${more}}`)).toEqual(['unknown_field', undefined])
    expect(await refusal(`{"name":"x\\u0000"${more}}`)).toEqual(['invalid_value', 'name'])
  }
  expect(await refusal(`{"name":"x","models":["a","\\ud800"]}`)).toEqual(['invalid_value', 'models.1'])
  expect(await refusal(`{"name":${'['.repeat(65)}${']'.repeat(65)}}`)).toEqual(['invalid_json', undefined])
  expect(await refusal(`{"name":"x","models":[${'"m",'.repeat(65_536)}"m"]}`)).toEqual(['request_too_large', undefined])
})
