/**
 * A growing hold, for work of unknown length. It is increased in steps before it is used up, so that frames need not wait for the
 * ledger; when the balance is nearly empty the steps get smaller.
 */
export interface TopUpParts {
  /** Nano-dollars that are held already. */
  held: bigint
  /** Size of a step, in nano-dollars. */
  step: bigint
  /** The most that the work can cost, in nano-dollars: more is held only when needed. Absent if unknown. */
  most?: bigint
  /** Size of a step once the work has cost more than that; absent: as before. */
  beyond?: bigint
  /**
   * Increases the hold; false when the balance does not cover it. A promise where it has to wait, rejected when the ledger is unreachable.
   */
  grow(extra: bigint): boolean | Promise<boolean>
}

export interface TopUp {
  /**
   * Whether the work may continue until it has cost this much. Undefined: yes. Otherwise a promise: false when the balance is used up,
   * rejected when the ledger is unreachable.
   */
  cover(need: bigint): Promise<boolean> | undefined
  /** Nano-dollars of the hold that are left when the work has cost this much; negative if it has cost more. */
  left(spent: bigint): bigint
  /** Resolves when no call to the ledger is open; undefined if none is. */
  quiet(): Promise<unknown> | undefined
}

/** Fraction of a step: with less than this left, the hold is increased. */
const reserveTenths = 3n

const stepsFrom = (step: bigint): readonly bigint[] => [step, step / 8n, 0n]

/** A growing hold that starts with `held`. */
export function createTopUp({ held, step, most: limit, beyond = step, grow }: TopUpParts): TopUp {
  /** Amounts to request beyond the need, largest first. */
  let ahead = stepsFrom(step)
  let most = 0
  let asking: Promise<boolean> | undefined

  /** The hold that is needed for this cost. */
  function target(need: bigint): bigint {
    const requested = need + (ahead[most] ?? 0n)
    if (limit === undefined || requested <= limit) return requested
    return need > limit ? need : limit
  }

  function ask(need: bigint): boolean | Promise<boolean> {
    for (; most < ahead.length; most++) {
      const extra = target(need) - held
      if (extra <= 0n) return true
      const grown = grow(extra)
      if (typeof grown !== 'boolean') return answered(need, extra, grown)
      if (grown) return added(extra)
    }
    // The balance may have grown by the next time.
    most = ahead.length - 1
    return held >= need
  }

  async function answered(need: bigint, extra: bigint, growing: Promise<boolean>): Promise<boolean> {
    if (await growing) return added(extra)
    most++
    return ask(need)
  }

  function added(extra: bigint): true {
    held += extra
    // The supposed maximum was exceeded, so the cost is unknown from here on.
    if (limit !== undefined && held > limit) {
      limit = undefined
      ahead = stepsFrom(beyond)
    }
    return true
  }

  function once(need: bigint): boolean | Promise<boolean> {
    const asked = ask(need)
    if (typeof asked === 'boolean') return asked
    asking = asked.finally(() => {
      asking = undefined
    })
    return asking
  }

  async function wait(need: bigint): Promise<boolean> {
    while (held < need) {
      // Another call's refusal does not apply here: it may have been for more.
      if (asking) await asking.catch(() => undefined)
      else if (!(await once(need))) return false
    }
    return true
  }

  return {
    cover(need) {
      if (held < need) {
        const asked = asking ?? once(need)
        if (typeof asked !== 'boolean') return wait(need)
        return asked ? undefined : Promise.resolve(false)
      }
      const reserve = ((ahead[most] ?? 0n) * reserveTenths) / 10n
      // An increase in advance may fail silently: it is requested again when it is needed.
      if (held < need + reserve && held < target(need) && !asking) {
        const asked = once(need)
        if (typeof asked !== 'boolean') asked.catch(() => undefined)
      }
      return undefined
    },
    left: (spent) => held - spent,
    quiet: () => asking?.catch(() => undefined),
  }
}
