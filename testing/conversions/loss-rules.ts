/**
 * Why something that one dialect can say becomes something else in another, or is lost, or refused: one rule for every reason
 * there is. `rows` are the sections of the mapping rules that a rule stands in. A test holds the codecs to this list: nothing
 * is lost without a rule, and no rule is left over. People read it in docs/losses.md.
 */
import type { Dialect } from '#shared/ids'

/** `dropped` = gone and told, `unsaid` = gone without a word, `refused` = this upstream is not asked. */
export type Verdict = 'carried' | 'changed' | 'dropped' | 'unsaid' | 'refused'

export interface LossRule {
  way: 'request' | 'answer'
  rows: readonly string[]
  verdict: Exclude<Verdict, 'carried'>
  /** Dialects that it is written in: of upstreams for requests, of clients for answers. */
  to: readonly Dialect[]
  /** Canonical names of what is lost; names of features for what goes without a word. */
  of: readonly string[]
  why: string
}

type Write = (rows: string, verdict: LossRule['verdict'], to: string, of: string, why: string) => LossRule

/** Lists in a text: `2.1 2.3`, `chat gemini`; names with spaces are parted by commas. */
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
