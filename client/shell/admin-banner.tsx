/** The administrators' banner: a line of plain text above every page, until it is closed; a changed text shows again. */
import { createSignal, Show } from 'solid-js'
import { banner } from '#client/api/account.ts'
import { IconButton } from '#client/ui/button.tsx'
import { t } from './messages.ts'

const place = 'parley.banner-closed'

/** The banner; nothing if there is none, or this tab has closed it. */
export function AdminBanner() {
  const [closed, setClosed] = createSignal(lastClosed())
  const close = () => {
    setClosed(banner())
    try {
      sessionStorage.setItem(place, banner())
    } catch {
      // Storage is blocked: it stays closed for the lifetime of the page.
    }
  }
  return (
    <Show when={banner() !== '' && banner() !== closed()}>
      <section class="admin-banner" aria-label={t('banner')}>
        <p>{banner()}</p>
        <IconButton name="x" label={t('closeBanner')} onClick={close} />
      </section>
    </Show>
  )
}

function lastClosed(): string | null {
  try {
    return sessionStorage.getItem(place)
  } catch {
    return null
  }
}
