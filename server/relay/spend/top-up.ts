/**
 * The money of work whose end nobody knows: a hold that grows before it is used up. It asks the books ahead of need, in steps,
 * so that frames need not wait for them; when the balance is nearly empty it asks for less at a time.
 */
export interface TopUpParts {
  /** Nano-dollars that are held already. */
  held: bigint
  /** Nano-dollars that are asked for at a time. */
  step: bigint
  /** Nano-dollars that the work can come to at most: more is held only when it is needed. Absent = nobody knows. */
  most?: bigint
  /** Adds to the hold; false when the balance does not cover it. Rejects when the books cannot be asked. */
  grow(extra: bigint): Promise<boolean>
}

export interface TopUp {
  /**
   * May the work go on until it has cost this much? Undefined = yes, at once. Otherwise it waits for the answer, which is
   * false when the money has ended, and a rejection when nobody can tell.
   */
  cover(need: bigint): Promise<boolean> | undefined
  /** Nano-dollars of the hold that are left when the work has cost this much; less than nothing: it has cost more. */
  left(spent: bigint): bigint
  /** Resolves when no question to the books is open; undefined = none is. */
  quiet(): Promise<unknown> | undefined
}

/** Of a step: with less than this left, more is asked for. */
const reserveTenths = 3n

export function createTopUp({ held, step, most: limit, grow }: TopUpParts): TopUp {
  /** What is asked for beyond the need, most first. */
  const ahead = [step, step / 8n, 0n]
  let most = 0
  let asking: Promise<boolean> | undefined

  /** What is to be held for this need. */
  function target(need: bigint): bigint {
    const wished = need + (ahead[most] ?? 0n)
    if (limit === undefined || wished <= limit) return wished
    return need > limit ? need : limit
  }

  async function ask(need: bigint): Promise<boolean> {
    for (; most < ahead.length; most++) {
      const extra = target(need) - held
      if (extra <= 0n) return true
      if (await grow(extra)) {
        held += extra
        return true
      }
    }
    // Next time the balance may have more.
    most = ahead.length - 1
    return held >= need
  }

  function once(need: bigint): Promise<boolean> {
    asking = ask(need).finally(() => {
      asking = undefined
    })
    return asking
  }

  async function wait(need: bigint): Promise<boolean> {
    while (held < need) {
      // Another question's answer is not ours: it may have been for more.
      if (asking) await asking.catch(() => undefined)
      else if (!(await once(need))) return false
    }
    return true
  }

  return {
    cover(need) {
      if (held < need) return wait(need)
      const reserve = ((ahead[most] ?? 0n) * reserveTenths) / 10n
      // What was asked for ahead of need may fail in silence: it is asked again when it is needed.
      if (held < need + reserve && held < target(need) && !asking) once(need).catch(() => undefined)
      return undefined
    },
    left: (spent) => held - spent,
    quiet: () => asking?.catch(() => undefined),
  }
}
