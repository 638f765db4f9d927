// States of the Reset and Activity panels that are reached by doing something.

/** Opens, does, checks, draws. */
export async function resetActs({ open, go, settle, measure, contrast, names, keyboard, shoot, layouts, themes }) {
  for (const theme of themes) {
    for (const layout of layouts) {
      const act = async (scenario, panel, name, does) => {
        const { page, where, close } = await open(scenario, layout, theme);
        await go(page, panel);
        await does(page);
        await page.waitForTimeout(40);
        await settle(page);
        await shoot(page, `act-${panel}-${name}-${layout.name}-${theme}`);
        await measure(page, `${where} ${name}`);
        await contrast(page, `${where} ${name}`);
        await names(page, `${where} ${name}`);
        if (theme === 'light') await keyboard(page, `${where} ${name}`);
        await close();
      };
      const press = (page, name) => page.getByRole('button', { name }).first().click();

      await act('fine', 'reset', 'anyway', (page) => page.getByRole('radio', { name: /^System disk/ }).click());
      await act('low', 'reset', 'changed', async (page) => {
        await page.evaluate(() => (window.backend.acting.refuse = 'Something changed since the preview: sessiondata.img has grown by 12 MB. Look at it again.'));
        await press(page, 'Quit Claude and reset the session disk');
        await page.getByRole('alert').waitFor();
      });
      await act('parkedMany', 'activity', 'restore', (page) => press(page, /^Restore/));
      await act('parkedMany', 'activity', 'discard', (page) => press(page, /^Discard/));
      await act('parkedMany', 'activity', 'for-good', async (page) => {
        await press(page, /^Discard/);
        await page.getByText('For good', { exact: true }).click();
        await page.getByRole('checkbox').click();
      });
      await act('parkedMany', 'activity', 'unverified', (page) => page.getByRole('button', { name: /^Discard/ }).nth(1).click());
      const leftovers = (page, name) => page.locator('article[aria-label^="Leftovers"]').nth(1).getByRole('button', { name }).click();
      await act('asideMany', 'activity', 'aside-restore', (page) => leftovers(page, /^Restore/));
      await act('asideMany', 'activity', 'aside-discard', async (page) => {
        await leftovers(page, /^Discard/);
        await page.getByRole('checkbox').click();
      });
      if (layout !== layouts[0]) continue;
      await act('asideMany', 'activity', 'aside-failed', async (page) => {
        await page.evaluate(() => (window.backend.leftovers.kept = 'open the copy /tmp/.sandtray-parked-1000/left-k7: Permission denied (os error 13). `sandtrayctl parked list` shows the copies that there are.'));
        await leftovers(page, /^Restore/);
        await press(page, /^Put .* back$/);
        await page.getByRole('alert').waitFor();
      });
      await act('asideOne', 'activity', 'aside-said', async (page) => {
        await press(page, /^Discard/);
        await page.getByRole('checkbox').click();
        await press(page, /^Discard .* for good$/);
        await page.getByText(/removed for good, /).waitFor();
      });
      await act('asideMany', 'activity', 'clean-receipt', async (page) => {
        const row = page.locator('details:has(.outcome)').filter({ hasText: '1,414 failed' });
        await row.locator('summary').first().click();
        await row.scrollIntoViewIfNeeded();
      });
      await act('asideMany', 'settings', 'discard-wrong', async (page) => {
        await page.locator('#leftovers_days').fill('4000');
        await page.locator('#leftovers_hours').fill('0');
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.locator('#leftovers_days').scrollIntoViewIfNeeded();
      });
      await act('parkedMany', 'activity', 'receipt', async (page) => {
        await page.locator('details:has(.outcome)').first().locator('summary').click();
        await page.locator('details:has(.outcome)').first().scrollIntoViewIfNeeded();
      });
      await act('ready', 'reset', 'undo', (page) => press(page, 'Undo…'));
      await act('parkedOne', 'activity', 'rescue', (page) => press(page, /^Rescue/));
    }
  }
}
