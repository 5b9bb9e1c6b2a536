import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { systemRandom as random, systemClock } from '#runtime/clock'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { createJobs, type RunningJob } from './jobs.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

describe.each(sampledEngines(import.meta.file))('jobs on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())
  afterEach(() => runSql(base.store, 'delete from jobs'))

  /** A process whose jobs end when the test says so. */
  function process(clock: ReturnType<typeof handClock>, atOnce = 2, instance = random.hex(4)) {
    const jobs = createJobs({ store: base.store, clock, random, log, instance, silenceMs: 20_000 })
    const begun: RunningJob[] = []
    const ends = new Map<string, PromiseWithResolvers<'later' | undefined>>()
    jobs.define('work', {
      atOnce,
      run(job) {
        begun.push(job)
        const end = Promise.withResolvers<'later' | undefined>()
        ends.set(job.id, end)
        job.lost.addEventListener('abort', () => end.resolve(undefined), { once: true })
        return end.promise
      },
    })
    return { jobs, begun, ids: () => begun.map(({ id }) => id).sort(), end: (id: string) => ends.get(id) }
  }
  const left = async () => [...(await dumpTables(base.store, ['jobs'])).matchAll(/"id":"(\w)"/g)].map(([, id]) => id)

  test('are done by one process, the oldest first, so many at once, until they are over', async () => {
    const clock = handClock()
    const [one, other] = [process(clock), process(clock)]
    for (const id of ['a', 'b', 'c']) {
      await one.jobs.add('work', id)
      await clock.advance(10)
    }
    await one.jobs.poll()
    await other.jobs.poll()
    expect([one.ids(), other.ids()]).toEqual([['a', 'b'], ['c']])
    one.end('a')?.resolve(undefined)
    while ((await left()).length === 3) await systemClock.sleep(2)
    expect(await left()).toEqual(['b', 'c'])
    await one.jobs.close()
    await other.jobs.close()
    expect(await left()).toEqual(['b', 'c'])
  })

  test('are taken over from a silent process, which is notified that it lost them', async () => {
    const clock = handClock()
    const [one, other] = [process(clock), process(clock)]
    await one.jobs.add('work', 'a')
    await one.jobs.poll()
    await clock.advance(19_000)
    await other.jobs.poll()
    expect(other.ids()).toEqual([])
    await clock.advance(2_000)
    await other.jobs.poll()
    expect(other.ids()).toEqual(['a'])
    expect(one.begun[0]?.lost.aborted).toBe(false)
    await one.jobs.poll()
    expect([one.begun[0]?.lost.aborted, other.begun[0]?.lost.aborted]).toEqual([true, false])
    expect(await left()).toEqual(['a'])
    await other.jobs.close()
  })

  test('are certain for half of the silence after each sign of life, and again after the next', async () => {
    const clock = handClock()
    const one = process(clock)
    await one.jobs.add('work', 'a')
    await one.jobs.poll()
    const sure = () => one.begun[0]?.isSure()
    expect(sure()).toBe(true)
    await clock.advance(9_000)
    expect(sure()).toBe(true)
    await clock.advance(2_000)
    expect(sure()).toBe(false)
    await one.jobs.poll()
    expect(sure()).toBe(true)
    await runSql(base.store, "update jobs set runner = 'another'")
    await clock.advance(11_000)
    await one.jobs.poll()
    expect([sure(), one.begun[0]?.lost.aborted]).toEqual([false, true])
    await one.jobs.close()
  })

  test('are handed over at once by a process that ends, and stop when somebody asks', async () => {
    const clock = handClock()
    const [one, other] = [process(clock), process(clock)]
    await one.jobs.add('work', 'a')
    await one.jobs.poll()
    await one.jobs.close()
    await one.jobs.poll()
    expect([one.ids(), one.begun[0]?.lost.aborted]).toEqual([['a'], true])
    await other.jobs.poll()
    expect([other.ids(), other.begun[0]?.stopped.aborted]).toEqual([['a'], false])
    expect([await one.jobs.stop('a'), await one.jobs.stop('nothing')]).toEqual([true, false])
    await other.jobs.poll()
    expect(other.begun[0]?.stopped.aborted).toBe(true)
    await other.jobs.close()
  })

  test('are free at once for the next process of the same installation', async () => {
    const clock = handClock()
    const [killed, next] = [process(clock, 2, 'here'), process(clock, 2, 'here')]
    const other = process(clock, 2, 'elsewhere')
    for (const id of ['a', 'b']) await (id === 'a' ? killed : other).jobs.add('work', id)
    await killed.jobs.poll()
    await killed.jobs.add('work', 'c')
    await other.jobs.poll()
    await next.jobs.poll()
    expect([killed.ids(), other.ids(), next.ids()]).toEqual([['a', 'b'], ['c'], ['a', 'b']])
    await next.jobs.close()
    await other.jobs.close()
  })

  test('that were begun before a process first looks stay its own', async () => {
    const clock = handClock()
    const one = process(clock)
    await one.jobs.begin('work', 'a')
    await one.jobs.poll()
    await one.jobs.poll()
    expect([one.ids(), one.begun[0]?.lost.aborted]).toEqual([['a'], false])
    await one.jobs.close()
  })

  test('that cannot be done here for now are left to others for a minute', async () => {
    const clock = handClock()
    const [one, other] = [process(clock), process(clock)]
    await one.jobs.add('work', 'a')
    await one.jobs.poll()
    one.end('a')?.resolve('later')
    for (; other.ids().length === 0; await systemClock.sleep(2)) await other.jobs.poll()
    await other.jobs.close()
    await one.jobs.poll()
    expect([one.ids(), other.ids()]).toEqual([['a'], ['a']])
    await clock.advance(60_000)
    await one.jobs.poll()
    expect(one.ids()).toEqual(['a', 'a'])
    await one.jobs.close()
  })

  test('that fail are done again', async () => {
    const clock = handClock()
    const one = process(clock)
    await one.jobs.add('work', 'a')
    await one.jobs.poll()
    one.end('a')?.reject(new Error('no database'))
    await clock.advance(19_000)
    await one.jobs.poll()
    expect(one.ids()).toEqual(['a'])
    await clock.advance(2_000)
    await one.jobs.poll()
    expect(one.ids()).toEqual(['a', 'a'])
    await one.jobs.close()
  })
})
