"""Pages that belong to no room: signing in and out, the overview, settings, preferences and the design page."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings as configured
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from memoryapp.access import rate
from memoryapp.access.models import Membership, User
from memoryapp.console import design, spending
from memoryapp.console.forms import SignInForm
from memoryapp.console.overview import overview as told
from memoryapp.console.services import PREFERENCES, keep_preference
from memoryapp.doors.errors import Invalid, TooMany
from memoryapp.doors.pages import member_page, page, refusal_page, wants_fragment
from memoryapp.ledger.principal import Principal


class SignIn(LoginView):
    """Sign in, and go on to the page that was asked for."""

    template_name = "console/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            rate.may_try_a_password(*_tried(request))
        except TooMany as error:
            form = SignInForm(request, initial={"username": request.POST.get("username", "")})
            context = self.get_context_data(form=form, held=error.detail)
            return self.render_to_response(
                context, status=error.status, headers={"Retry-After": str(error.extra["retry_after"])}
            )
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        rate.wrong_password(*_tried(self.request))
        return super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        rate.right_password(*_tried(self.request))
        return super().form_valid(form)


def _tried(request: HttpRequest) -> tuple[str, str]:
    return request.POST.get("username", ""), request.META.get("REMOTE_ADDR", "")


def operators_sign_in(request: HttpRequest) -> HttpResponse:
    """Operators sign in where everybody does, with the same brake on guessing."""
    if request.user.is_authenticated:
        raise Http404
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"), login_url=configured.LOGIN_URL)


class SignOut(LogoutView):
    """Sign out (by POST only) and say so."""

    template_name = "console/signed_out.html"


@login_required
def front(request: HttpRequest) -> HttpResponse:
    """`/`: the workspace last looked at, else the first by name; a page that says what to do when there is none."""
    assert isinstance(request.user, User)
    mine = Membership.objects.filter(user=request.user, ended_at__isnull=True).select_related("workspace")
    slugs = [membership.workspace.slug for membership in mine.order_by("workspace__name")]
    if not slugs:
        return page(request, "console/no_workspace.html")
    last = request.session.get("workspace")
    return redirect("console:overview", workspace=last if last in slugs else slugs[0])


@member_page()
def overview(request: HttpRequest, by: Principal) -> HttpResponse:
    """What waits and what changed in one workspace."""
    request.session["workspace"] = by.workspace.slug
    return page(request, "console/overview.html", told(by))


@member_page()
def settings(request: HttpRequest, by: Principal) -> HttpResponse:
    """What the workspace is called and how this account wants its console."""
    role = by.actor.membership.get_role_display().lower()
    return page(request, "console/settings.html", {"by": by, "role": role, "models": spending.every(by)})


@login_required
@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Keep one choice of the account, and go back to where it was made."""
    assert isinstance(request.user, User)
    chosen = {name: request.POST[name] for name in request.POST if name != "csrfmiddlewaretoken"}
    try:
        if not chosen:
            raise Invalid.at("", "nothing_chosen", "No preference was sent.", ", ".join(PREFERENCES))
        for name, value in chosen.items():
            keep_preference(user=request.user, name=name, value=value)
    except Invalid as error:
        return refusal_page(request, error)
    if wants_fragment(request):
        return HttpResponse(status=204)
    back_to = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(back_to, {request.get_host()}, require_https=request.is_secure()):
        return redirect("console:front")
    parts = urlsplit(back_to)
    path = "/" + parts.path.lstrip("/")
    return redirect(f"{path}?{parts.query}" if parts.query else path)


@login_required
def design_page(request: HttpRequest) -> HttpResponse:
    """Every part of the design system with invented content, for staff who build pages; nobody else knows of it."""
    assert isinstance(request.user, User)
    if not request.user.is_staff:
        raise Http404
    return page(request, "console/design.html", design.content())
