/** `/docs`: the API reference with contents, search, samples in the chosen language, and calls made from the page. */
import { createMemo, createSignal, Show, Suspense } from 'solid-js'
import { explain } from '#client/console/explain.ts'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Page } from '#client/ui/console/page.tsx'
import { Failure, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { Article } from './article.tsx'
import { Contents, Results } from './contents.tsx'
import { t } from './messages.ts'
import { createReading } from './reference.ts'
import { searchDocs } from './search.ts'
import './docs.css'
import './docs-endpoint.css'

const Sheet = later(async () => (await import('#client/ui/sheet.tsx')).Sheet)

/** The page. `alone`: for a reader who is not signed in, without the frame of the product. */
export function DocsPage(props: { alone?: boolean }) {
  const url = useUrlState()
  const [find, setFind] = createSignal('')
  const [open, setOpen] = createSignal(false)
  const phone = createMediaQuery('(max-width: 759px)')
  const reading = createReading(({ id }) => find() !== '' || id === url.get('page'))
  const docs = reading.docs
  const current = createMemo(() => docs()?.pages.find(({ id }) => id === url.get('page')) ?? docs()?.pages[0])
  const found = createMemo(() => searchDocs(docs()?.pages ?? [], find()))
  const waiting = () => (
    <Show when={reading.error()} fallback={<Skeleton lines={12} />}>
      {(error) => <Failure text={explain(error())} onRetry={reading.retry} />}
    </Show>
  )
  return (
    <Page
      title={t('title')}
      facts={docs() && t('version', { version: docs()?.version ?? '' })}
      actions={
        <>
          <Show when={phone()}>
            <button type="button" class="btn ghost" aria-haspopup="dialog" onClick={() => setOpen(true)}>
              <Icon name="list" />
              {t('contents')}
            </button>
          </Show>
          <a class="btn ghost max-[759px]:hidden!" href="/openapi.json" rel="external">
            openapi.json
          </a>
          <a class="btn ghost max-[759px]:hidden!" href="/llms.txt" rel="external">
            llms.txt
          </a>
          <a class="btn ghost max-[759px]:hidden!" href="/key">
            {t('yourKey')}
          </a>
          <Show when={props.alone}>
            <a class="btn max-[759px]:hidden!" href="/" rel="external">
              {t('signIn')}
            </a>
          </Show>
        </>
      }
    >
      <Show when={docs()} fallback={waiting()}>
        {(known) => {
          const side = (onGo: () => void) => (
            <>
              <div class="filters wide mb-0!">
                <SearchField label={t('search')} value={find()} onSearch={setFind} />
              </div>
              <Show when={find() === ''} fallback={<Results find={find()} found={found()} onGo={onGo} />}>
                <Contents pages={known().pages} current={current()} onGo={onGo} />
              </Show>
            </>
          )
          return (
            <div class="docs">
              <Show when={!phone()}>
                <div class="docs-side">{side(() => setFind(''))}</div>
              </Show>
              <Show when={current()} keyed>
                {(page) => <Article page={page} pages={known().pages} alone={props.alone ?? false} waiting={waiting()} />}
              </Show>
              <Suspense>
                <Show when={phone() && open()}>
                  <Sheet title={t('contents')} closeLabel={tc('close')} side="left" onClose={() => setOpen(false)}>
                    <div class="docs-side">
                      {side(() => {
                        setFind('')
                        setOpen(false)
                      })}
                    </div>
                  </Sheet>
                </Show>
              </Suspense>
            </div>
          )
        }}
      </Show>
    </Page>
  )
}
