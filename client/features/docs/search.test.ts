import { expect, test } from 'bun:test'
import type { DocPage } from '#shared/console/docs'
import { searchDocs, wordsOf } from './search.ts'

const endpoint = { takes: [], gives: [], errors: [], samples: [] }
const pages: DocPage[] = [
  {
    ...{ id: 'keys', group: '控制台', title: '密钥', html: '<p>创建、轮换和删除 <b>API 密钥</b>。</p>' },
    endpoints: [
      { ...endpoint, id: 'create-key', method: 'POST', path: '/api/keys', summary: '创建密钥', html: '<p>回复仅此一次包含密钥。</p>' },
      {
        ...{ ...endpoint, id: 'rerank', method: 'POST', path: '/v1/rerank', summary: '对文档重排序', html: '' },
        takes: [{ path: 'top_n', type: 'integer', required: false, means: '返回的文档数量' }],
      },
    ],
  },
  { id: 'streams', group: 'Guides', title: 'Streaming', html: '<p>How an answer is streamed.</p>', endpoints: [] },
]
const found = (text: string) => searchDocs(pages, text).map(({ page, anchor }) => anchor ?? page)

test('Chinese is found by its words, typed without spaces, whatever is between them', () => {
  expect(found('重排序')).toEqual(['rerank'])
  expect(found('文档数量')).toEqual(['rerank'])
  // No text contains these characters in sequence.
  expect(found('删除密钥')).toEqual(['keys'])
  expect(found('如何创建密钥')).toEqual(['create-key', 'keys'])
  expect(found('密钥 轮换')).toEqual(['keys'])
})

test('titles come first; if nothing has all words, the best match does', () => {
  expect(found('密钥')[0]).toBe('create-key')
  expect(found('重排序 密文 文档')).toEqual(['rerank'])
  expect(found('how is it streamed')).toEqual(['streams'])
  expect(found('ＲＥＲＡＮＫ')).toEqual(['rerank'])
  expect(found('天气')).toEqual([])
  expect(found(' ')).toEqual([])
})

test('stop words count only if nothing else was typed', () => {
  expect(wordsOf('如何创建密钥？')).toEqual([['创建'], ['密钥']])
  expect(wordsOf('如何')).toEqual([['如何']])
  expect(wordsOf('POST /v1/chat')).toEqual([['post'], ['/v1/chat']])
})

test('synonyms find the same', () => {
  const timeouts: DocPage = {
    id: 'errors',
    group: 'Begin',
    title: '错误',
    html: '<p>upstream_timeout: 上游没有及时回答</p>',
    endpoints: [],
  }
  const ids = (text: string) => searchDocs([...pages, timeouts], text).map(({ page }) => page)
  expect(ids('超时')).toEqual(['errors'])
  expect(ids('上游超时')).toEqual(['errors'])
  expect(wordsOf('如何限流')).toEqual([expect.arrayContaining(['限流', 'rate limit'])])
  // Only where they stand as a word.
  expect(wordsOf('streamed')).toEqual([['streamed']])
})

test('a row of a table and an entry of a list are found by themselves, entries after everything else', () => {
  const errors = '<table><tr id="error-overloaded"><th><code>overloaded</code><br>Retry shortly.</th></tr></table>'
  const more: DocPage[] = [
    { id: 'errors', group: 'Begin', title: 'Errors', html: errors, endpoints: [] },
    {
      ...{ id: 'changelog', group: 'About', title: 'Changelog', endpoints: [] },
      html: `<h4 id="newest">Newest</h4><ul><li id="change-1">An overloaded server says &lt;so&gt;${' and so on'.repeat(20)}</li></ul>`,
    },
  ]
  const hits = searchDocs(more, 'overloaded')
  expect(hits.map(({ page, anchor }) => [page, anchor])).toEqual([
    ['errors', 'error-overloaded'],
    ['changelog', 'change-1'],
  ])
  expect(hits[0]?.title).toBe('overloaded')
  expect(hits[1]?.title).toMatch(/^An overloaded server says <so> and so on .{20,60}…$/)
  expect(hits[1]?.note).toBe('Changelog')
})
