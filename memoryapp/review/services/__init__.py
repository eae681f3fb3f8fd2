"""Every write of the room: cases opened, decided, undone; attended to; talked about."""

from memoryapp.review.registry import Subject as Subject
from memoryapp.review.services.attending import LEASE as LEASE
from memoryapp.review.services.attending import assign as assign
from memoryapp.review.services.attending import claim as claim
from memoryapp.review.services.attending import read_notices as read_notices
from memoryapp.review.services.attending import release as release
from memoryapp.review.services.attending import remark as remark
from memoryapp.review.services.attending import said_by_asker as said_by_asker
from memoryapp.review.services.attending import snooze as snooze
from memoryapp.review.services.attending import wake as wake
from memoryapp.review.services.batches import carry_out as carry_out
from memoryapp.review.services.batches import look_at_many as look_at_many
from memoryapp.review.services.batches import take_back as take_back
from memoryapp.review.services.deciding import decide as decide
from memoryapp.review.services.deciding import settle as settle
from memoryapp.review.services.deciding import settle_by_right as settle_by_right
from memoryapp.review.services.deciding import undo as undo
from memoryapp.review.services.deciding import undo_by_right as undo_by_right
from memoryapp.review.services.opening import Opening as Opening
from memoryapp.review.services.opening import open_case as open_case
from memoryapp.review.services.opening import open_cases as open_cases
from memoryapp.review.services.opening import subject_changed as subject_changed
from memoryapp.review.services.opening import void_case as void_case
