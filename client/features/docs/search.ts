/** Search in the reference, in the browser, in English and Chinese. */
import type { DocPage } from '#shared/console/docs'
import { decoded } from './nodes.ts'
import { synonyms } from './synonyms.ts'

/** A search result. */
export interface Hit {
  page: string
  anchor?: string
  title: string
  note: string
}

const mostHits = 30

/** A page or an endpoint, with its searchable texts. */
interface Entry {
  hit: Hit
  title: string
  text: string
  /** Ranked after everything else: a changelog entry. */
  isLast: boolean
}

/**
 * Pages and endpoints with all words of `text`, those with all of them in their title first; where none has all of them, those with the most,
 * at least half. Chinese is segmented into words, since it is typed without spaces.
 */
export function searchDocs(pages: readonly DocPage[], text: string): Hit[] {
  const words = wordsOf(text)
  if (words.length === 0) return []
  const count = (of: string) => words.filter((same) => same.some((word) => of.includes(word))).length
  const found = entriesOf(pages)
    .map((entry) => ({ ...entry, inAll: count(entry.text), inTitle: count(entry.title) }))
    .filter(({ inAll }) => inAll * 2 >= words.length)
    .toSorted((a, b) => b.inAll - a.inAll || Number(a.isLast) - Number(b.isLast) || b.inTitle - a.inTitle)
  const hasAll = found[0]?.inAll === words.length
  return found
    .filter(({ inAll }) => !hasAll || inAll === words.length)
    .slice(0, mostHits)
    .map(({ hit }) => hit)
}

const plain = (html: string) => html.replace(/<[^>]*>/g, ' ')
/** Normalises case and full-width characters. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase()

const chinese = new Intl.Segmenter('zh', { granularity: 'word' })
/** Stop words. */
const empty = new Set([
  '的',
  '了',
  '吗',
  '呢',
  '吧',
  '是',
  '在',
  '我',
  '和',
  '与',
  '或',
  '如何',
  '怎么',
  '怎样',
  '什么',
  '请问',
  '一个',
  'how',
  'do',
  'i',
  'a',
  'the',
  'to',
  'is',
])

/** The words of a query, each with its synonyms; without stop words, unless there are no others. */
export function wordsOf(text: string): (readonly string[])[] {
  let left = folded(text)
  const groups = synonyms.flatMap((group) => {
    const named = group.toSorted((a, b) => b.length - a.length).find((word) => left.includes(word))
    if (named === undefined || isInWord(left, named)) return []
    left = left.replaceAll(named, ' ')
    return [group]
  })
  return [...groups, ...singleWords(left, groups.length > 0).map((word) => [word])]
}

/** Whether this is only part of a longer word, as `stream` is of `streamed`. */
const isInWord = (text: string, word: string): boolean =>
  /^[a-z0-9]/.test(word) && !new RegExp(`(^|[^a-z0-9])${word}s?($|[^a-z0-9])`).test(text)

function singleWords(text: string, hasOthers: boolean): string[] {
  const words = text
    .split(/\s+/)
    .flatMap((part) => (/\p{Script=Han}/u.test(part) ? dividedChinese(part) : part))
    .filter(Boolean)
  const telling = words.filter((word) => !empty.has(word))
  return [...new Set(telling.length > 0 || hasOthers ? telling : words)]
}

/** Joins single characters in a row into a word: the browser's dictionary lacks technical terms such as 密钥. */
function dividedChinese(text: string): string[] {
  const words: string[] = []
  let isOpen = false
  for (const { segment, isWordLike } of chinese.segment(text)) {
    const isSingle = /^\p{Script=Han}$/u.test(segment) && !empty.has(segment)
    if (isSingle && isOpen) words.push(`${words.pop()}${segment}`)
    else if (isWordLike) words.push(segment)
    isOpen = isSingle
  }
  return words
}

const known = new WeakMap<readonly DocPage[], Entry[]>()

function entriesOf(pages: readonly DocPage[]): Entry[] {
  const entries =
    known.get(pages) ??
    pages.flatMap((page) => [
      ...page.endpoints.map((one) =>
        entry({ page: page.id, anchor: one.id, title: `${one.method} ${one.path}`, note: one.summary }, [
          plain(one.html),
          ...[...one.takes, ...one.gives].map(({ path, means }) => `${path} ${means}`),
        ]),
      ),
      ...anchoredIn(page),
      entry({ page: page.id, title: page.title, note: page.group }, [plain(page.html.replace(anchored, ''))]),
    ])
  known.set(pages, entries)
  return entries
}

/** Table rows and list items that have an anchor. */
const anchored = /<(li|tr) id="([^"]+)">([\s\S]*?)<\/\1>/g
/** Maximum length of a title taken from the beginning of a text. */
const longestTitle = 90

function anchoredIn(page: DocPage): Entry[] {
  return [...page.html.matchAll(anchored)].map(([, element, anchor = '', html = '']) => {
    const text = decoded(plain(html)).replace(/\s+/g, ' ').trim()
    // The first cell of a row is its title.
    const name = element === 'tr' ? decoded(plain(/<code>.*?<\/code>/.exec(html)?.[0] ?? html)).trim() : shortened(text)
    return { ...entry({ page: page.id, anchor, title: name, note: page.title }, [text]), isLast: element === 'li' }
  })
}

function shortened(text: string): string {
  if (text.length <= longestTitle) return text
  const cut = text.slice(0, longestTitle)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), longestTitle / 2))}…`
}

function entry(hit: Hit, texts: readonly string[]): Entry {
  const title = folded(`${hit.title} ${hit.note}`)
  return { hit, title, text: `${title} ${folded(texts.join(' '))}`, isLast: false }
}
