import { t } from '#client/features/playground/messages/messages.ts'
import { copyText } from '#client/ui/copy-and-save.ts'
import { showToast } from '#client/ui/toast.tsx'

/** Copies `text` and shows the result in a toast. */
export async function copyWithNotice(text: string): Promise<void> {
  showToast((await copyText(text)) ? t('copied') : t('copyRefused'))
}
