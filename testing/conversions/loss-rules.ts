/**
 * Why something that one dialect can express is changed, lost or refused in another: one rule per reason. `rows` are the sections of the
 * mapping rules that contain it. A test holds the codecs to this list: every loss has a rule, and every rule is used. It is published in
 * docs/losses.md.
 */
import type { Dialect } from '#shared/ids'

/** `dropped` = lost and reported, `unreported` = lost without a report, `refused` = the upstream is not asked. */
export type Verdict = 'carried' | 'changed' | 'dropped' | 'unreported' | 'refused'

/** One reason for a change, a loss or a refusal. */
export interface LossRule {
  way: 'request' | 'answer'
  rows: readonly string[]
  verdict: Exclude<Verdict, 'carried'>
  /** The dialects being written: of upstreams for requests, of clients for answers. */
  to: readonly Dialect[]
  /** Canonical names of what is lost; feature names for unreported losses. */
  of: readonly string[]
  why: string
}

type Write = (rows: string, verdict: LossRule['verdict'], to: string, of: string, why: string) => LossRule

/** Builds a rule from lists in text form: `2.1 2.3`, `chat gemini`; names with spaces are separated by commas. */
export const ruleOf =
  (way: LossRule['way']): Write =>
  (rows, verdict, to, of, why) => ({
    way,
    rows: rows.split(' '),
    verdict,
    to: to.split(' ') as Dialect[],
    of: of.split(/, ?/),
    why,
  })
