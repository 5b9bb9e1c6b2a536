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
  most?: bigint | undefined
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
export const createTopUp = (parts: TopUpParts): TopUp => new GrowingHold(parts)

class GrowingHold implements TopUp {
  readonly #parts: TopUpParts
  #held: bigint
  #limit: bigint | undefined
  /** Amounts to request beyond the need, largest first. */
  #ahead: readonly bigint[]
  /** Index of the amount that is requested. */
  #next = 0
  #asking: Promise<boolean> | undefined

  constructor(parts: TopUpParts) {
    this.#parts = parts
    this.#held = parts.held
    this.#limit = parts.most
    this.#ahead = stepsFrom(parts.step)
  }

  cover(need: bigint): Promise<boolean> | undefined {
    if (this.#held < need) {
      const asked = this.#asking ?? this.#once(need)
      if (typeof asked !== 'boolean') return this.#wait(need)
      return asked ? undefined : Promise.resolve(false)
    }
    const reserve = ((this.#ahead[this.#next] ?? 0n) * reserveTenths) / 10n
    // An increase in advance may fail silently: it is requested again when it is needed.
    if (this.#held < need + reserve && this.#held < this.#target(need) && !this.#asking) {
      const asked = this.#once(need)
      if (typeof asked !== 'boolean') asked.catch(() => undefined)
    }
    return undefined
  }

  left(spent: bigint): bigint {
    return this.#held - spent
  }

  quiet(): Promise<unknown> | undefined {
    return this.#asking?.catch(() => undefined)
  }

  /** The hold that is needed for this cost. */
  #target(need: bigint): bigint {
    const requested = need + (this.#ahead[this.#next] ?? 0n)
    const limit = this.#limit
    if (limit === undefined || requested <= limit) return requested
    return need > limit ? need : limit
  }

  #ask(need: bigint): boolean | Promise<boolean> {
    for (; this.#next < this.#ahead.length; this.#next++) {
      const extra = this.#target(need) - this.#held
      if (extra <= 0n) return true
      const grown = this.#parts.grow(extra)
      if (typeof grown !== 'boolean') return this.#answered(need, extra, grown)
      if (grown) return this.#added(extra)
    }
    // The balance may have grown by the next time.
    this.#next = this.#ahead.length - 1
    return this.#held >= need
  }

  async #answered(need: bigint, extra: bigint, growing: Promise<boolean>): Promise<boolean> {
    if (await growing) return this.#added(extra)
    this.#next++
    return this.#ask(need)
  }

  #added(extra: bigint): true {
    this.#held += extra
    // The supposed maximum was exceeded, so the cost is unknown from here on.
    if (this.#limit !== undefined && this.#held > this.#limit) {
      this.#limit = undefined
      this.#ahead = stepsFrom(this.#parts.beyond ?? this.#parts.step)
    }
    return true
  }

  #once(need: bigint): boolean | Promise<boolean> {
    const asked = this.#ask(need)
    if (typeof asked === 'boolean') return asked
    this.#asking = asked.finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #wait(need: bigint): Promise<boolean> {
    while (this.#held < need) {
      // Another call's refusal does not apply here: it may have been for more.
      if (this.#asking) await this.#asking.catch(() => undefined)
      else if (!(await this.#once(need))) return false
    }
    return true
  }
}
